package likelihood

import "math"

// Power is a likelihood raised to a positive weight: an observation that counts for less
// than one, or several whose noise is all in z already.
type Power struct {
	Of     Scalar
	Weight float64
}

// Width returns that of the likelihood inside.
func (l Power) Width() float64 { return width(l.Of) }

// Flat returns that of the likelihood inside.
func (l Power) Flat() float64 { return flat(l.Of) }

// LogProb scales the logarithm and its derivatives.
func (l Power) LogProb(z float64) (lp, d1, d2 float64) {
	lp, d1, d2 = l.Of.LogProb(z)
	return l.Weight * lp, l.Weight * d1, l.Weight * d2
}

// Expect scales the expectation of the likelihood inside.
func (l Power) Expect(m, v float64) (e, d1, d2 float64) {
	e, d1, d2 = Expect(l.Of, m, v)
	return l.Weight * e, l.Weight * d1, l.Weight * d2
}

// Counted takes a positive weight for a count of observations, whole or not, and
// the power of each. From one on, the weight is the count. Below, it is between one
// and two observations that count 1/k each; up to 64 any k will do, above a power of
// two has to, so that whatever the weights are there are fewer than 127 powers.
func Counted(weight float64) (count, power float64) {
	if weight >= 1 {
		return weight, 1
	}
	k := math.Ceil(1/weight - 1e-9) // 1/(1/49) is more than 49
	if k > 64 {
		k = math.Exp2(min(math.Ceil(math.Log2(k)), 64))
	}
	return weight * k, 1 / k
}

// Whole takes a positive weight for a whole number of observations, the next above
// it, and the power of each.
func Whole(weight float64) (count, power float64) {
	count = math.Ceil(weight)
	return count, weight / count
}

// Raised returns a likelihood to a power, which is itself for 1.
func Raised(l Scalar, power float64) Scalar {
	if power == 1 {
		return l
	}
	return Power{Of: l, Weight: power}
}
