package metric

import "fmt"

// mean returns Σ w_k·f(p_k, y_k) / Σ w_k.
func mean(p, y, w []float64, f func(p, y float64) float64) float64 {
	check(p, y, w)
	var sum, total float64
	for k := range p {
		weight := 1.0
		if w != nil {
			weight = w[k]
		}
		if weight > 0 { // a vote that does not count must not bring in an infinity
			sum += weight * f(p[k], y[k])
			total += weight
		}
	}
	return sum / total
}

// check panics unless these can be predictions, outcomes and weights of the same votes.
func check(p, y, w []float64) {
	if len(p) != len(y) || w != nil && len(w) != len(p) {
		panic(fmt.Sprintf("metric: %d predictions, %d outcomes, %d weights", len(p), len(y), len(w)))
	}
	for k := range p {
		if !(p[k] >= 0 && p[k] <= 1) || !(y[k] >= 0 && y[k] <= 1) || w != nil && !(w[k] >= 0) {
			panic(fmt.Sprintf("metric: vote %d: prediction %v, outcome %v", k, p[k], y[k]))
		}
	}
}
