package likelihood

// Power is a likelihood raised to a weight in (0, 1]: an observation that
// counts for less than one.
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
