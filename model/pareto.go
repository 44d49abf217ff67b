package model

import (
	"cmp"
	"math"
	"slices"

	"palate/internal/num"
)

// fitPareto fits a generalised Pareto distribution to ascending excesses by
// the posterior-mean estimator of Zhang and Stephens (2009), with the weak pull
// of the shape to ½ that Vehtari and others add for small samples.
func fitPareto(x []float64) (shape, scale float64) {
	n := len(x)
	if !(x[n-1] > 0) {
		return 0, 0 // all equal: nothing to smooth
	}
	// θ = −shape/scale on a grid; prior 3, quartile of the data as its unit.
	m := 30 + int(math.Sqrt(float64(n)))
	quartile := x[int(math.Floor(float64(n)/4+0.5))-1]
	if !(quartile > 0) {
		return 0, 0
	}
	theta, logL := make([]float64, m), make([]float64, m)
	shapeAt := func(t float64) (k float64) {
		for _, v := range x {
			k += math.Log1p(-t * v)
		}
		return k / float64(n)
	}
	for j := range theta {
		theta[j] = 1/x[n-1] + (1-math.Sqrt(float64(m)/(float64(j)+0.5)))/(3*quartile)
		k := shapeAt(theta[j])
		logL[j] = float64(n) * (math.Log(-theta[j]/k) - k - 1)
	}
	var t, sum float64
	for j := range theta {
		var w float64
		for _, l := range logL {
			w += math.Exp(l - logL[j])
		}
		t += theta[j] / w
		sum += 1 / w
	}
	t /= sum
	k := shapeAt(t)
	scale = -k / t
	return (k*float64(n) + 5) / (float64(n) + 10), scale
}

// paretoQuantile is the quantile at p.
func paretoQuantile(p, shape, scale float64) float64 {
	if math.Abs(shape) < 1e-12 {
		return -scale * math.Log1p(-p)
	}
	return scale * math.Expm1(-shape*math.Log1p(-p)) / shape
}

// argsort returns the order that sorts x ascending, equal ones as they come.
func argsort(x []float64) []int {
	order := num.Indices(len(x))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	return order
}
