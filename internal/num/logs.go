package num

import "math"

// Log1mExp returns log(1 − e^x) for x < 0, accurate for x near 0 and for x
// very negative. It is −∞ at 0 and NaN above.
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// LogSumExp returns log Σ e^{x_i}, −∞ for an empty x.
func LogSumExp(x []float64) float64 {
	max := math.Inf(-1)
	for _, v := range x {
		if math.IsNaN(v) {
			return v
		}
		if v > max {
			max = v
		}
	}
	if math.IsInf(max, 0) {
		return max
	}
	var s float64
	for _, v := range x {
		s += math.Exp(v - max)
	}
	return max + math.Log(s)
}

// Sigmoid returns 1/(1 + e^{−z}), with relative accuracy for z → −∞.
func Sigmoid(z float64) float64 {
	if z >= 0 {
		return 1 / (1 + math.Exp(-z))
	}
	e := math.Exp(z)
	return e / (1 + e)
}

// LogSigmoid returns log Sigmoid(z) = −log(1 + e^{−z}).
func LogSigmoid(z float64) float64 {
	if z >= 0 {
		return -math.Log1p(math.Exp(-z))
	}
	return z - math.Log1p(math.Exp(z))
}
