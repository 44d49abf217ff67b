package metric

// Accuracy returns the share of decided votes whose winner was given more than ½. A prediction of exactly ½ is
// half right; ties are left out.
func Accuracy(p, y, w []float64) float64 {
	check(p, y, w)
	var right, total float64
	for k := range p {
		weight := 1.0
		if w != nil {
			weight = w[k]
		}
		switch {
		case y[k] == 0.5:
			continue
		case p[k] == 0.5:
			right += weight / 2
		case (p[k] > 0.5) == (y[k] > 0.5):
			right += weight
		}
		total += weight
	}
	return right / total
}
