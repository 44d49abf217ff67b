package likelihood

import "math"

// Davidson is the likelihood of a win or of a draw where a draw has Ties·√(ab) to the a
// and b of the two wins, a = e^{z/Scale}·b (Davidson 1970): it says nothing of the odds of
// a decided vote. Scale 0 stands for 1.
type Davidson struct {
	Scale, Ties float64
	Draw        bool
}

// Width returns the scale.
func (l Davidson) Width() float64 { return unless0(l.Scale) }

// Tilt is quadrature.
func (l Davidson) Tilt(m, v float64) Tilted { return tiltLogistic(l, m, v) }

// LogProb returns log p(z) and its derivatives. With D = ν + 2cosh(z/2) it is log ν − log D
// for a draw and z/2 − log D for a win.
func (l Davidson) LogProb(z float64) (lp, d1, d2 float64) {
	scale := 1 / l.Width()
	z *= scale
	side := math.Copysign(1, z)
	b := math.Exp(-0.5 * math.Abs(z))
	a := b * b
	rest := 1 + a + l.Ties*b // D·e^{−|z|/2}
	lp, d1 = -math.Log(rest), -0.5*side*(1-a)/rest
	d2 = -(0.25*l.Ties*b*(1+a) + a) / (rest * rest)
	switch {
	case l.Draw:
		lp += math.Log(l.Ties) - 0.5*math.Abs(z)
	case z < 0:
		lp, d1 = lp+z, (1+0.5*l.Ties*b)/rest
	default:
		d1 = (a + 0.5*l.Ties*b) / rest
	}
	return lp, scale * d1, scale * scale * d2
}
