package likelihood

import "math"

// Gaussian is the likelihood of a rating: z was seen as Y with noise of
// standard deviation Sd. Every rule is exact under it.
type Gaussian struct {
	Y, Sd float64
}

// LogProb returns log N(Y; z, Sd²) and its derivatives.
func (l Gaussian) LogProb(z float64) (lp, d1, d2 float64) {
	t := l.Tilt(z, 0)
	return t.LogZ, t.D1, t.D2
}

// Tilt adds the variances.
func (l Gaussian) Tilt(m, v float64) Tilted {
	n2 := l.Sd * l.Sd
	r2 := n2 + v
	d := l.Y - m
	return Tilted{
		LogZ:   -0.5*d*d/r2 - 0.5*math.Log(r2) - logSqrt2Pi,
		D1:     d / r2,
		D2:     -1 / r2,
		Shrink: n2 / r2,
	}
}

// Expect is LogProb at the mean less v/2Sd².
func (l Gaussian) Expect(m, v float64) (e, d1, d2 float64) {
	e, d1, d2 = l.LogProb(m)
	return e + 0.5*d2*v, d1, d2
}

// Bound is exact: log p is its own quadratic.
func (l Gaussian) Bound(m, v float64) (term, tau, nu float64) {
	term, d1, d2 := l.Expect(m, v)
	return term, -d2, d1 - d2*m
}

// Observe is linear.
func (l Gaussian) Observe(z float64) (g, slope, target float64) { return z, 1, l.Y }

// ObservationVar is Sd².
func (l Gaussian) ObservationVar(float64) float64 { return l.Sd * l.Sd }
