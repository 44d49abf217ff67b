package metric

// Brier returns the mean of (p−y)².
func Brier(p, y, w []float64) float64 {
	return mean(p, y, w, func(p, y float64) float64 { return (p - y) * (p - y) })
}
