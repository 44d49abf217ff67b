package likelihood

import (
	"math"

	"palate/internal/num"
)

// Logit is the Bradley–Terry likelihood of a win, p(z) = 1/(1+e^{−(z−Offset)/Scale}).
// Scale 0 stands for 1. Offset is the margin a win needs where ties are possible; see
// RaoKupper.
type Logit struct {
	Scale, Offset float64
}

func (l Logit) scale() float64 { return unless0(l.Scale) }

// unless0 returns x, or 1 for 0.
func unless0(x float64) float64 {
	if x == 0 {
		return 1
	}
	return x
}

// Width returns the scale.
func (l Logit) Width() float64 { return l.scale() }

// Flat is where the logistic is 1 to rounding.
func (l Logit) Flat() float64 { return l.Offset + 37*l.scale() }

// Tilt is quadrature.
func (l Logit) Tilt(m, v float64) Tilted { return tiltLogistic(l, m, v) }

// LogProb returns log σ((z−Offset)/Scale) and its derivatives.
func (l Logit) LogProb(z float64) (lp, d1, d2 float64) {
	a := 1 / l.scale()
	z -= l.Offset
	lose := num.Sigmoid(-a * z)
	return num.LogSigmoid(a * z), a * lose, -a * a * lose * (1 - lose)
}

// Bound is Jaakkola's quadratic bound at its best contact point ξ² = E[(z−Offset)²]
// (COLLAB, corrected): π = (σ(ξ)−½)/ξ, β = ½.
func (l Logit) Bound(m, v float64) (term, tau, nu float64) {
	a := 1 / l.scale()
	m -= l.Offset
	xi := a * math.Sqrt(m*m+v)
	pi := 0.25 - xi*xi/48 // the series at 0
	if xi > 1e-3 {
		pi = 0.5 * math.Tanh(xi/2) / xi
	}
	// At ξ² = E[z²] the quadratic part vanishes.
	tau = a * a * pi
	return num.LogSigmoid(xi) - xi/2 + a*m/2, tau, a/2 + tau*l.Offset
}

// Observe reads a win as the observation 1 of σ(z).
func (l Logit) Observe(z float64) (g, slope, target float64) {
	a := 1 / l.scale()
	z -= l.Offset
	p := num.Sigmoid(a * z)
	return p, a * p * num.Sigmoid(-a*z), 1
}

// ObservationVar is CROWD (9), corrected, with the logistic taken as a probit
// of noise 1.702·Scale.
func (l Logit) ObservationVar(priorVar float64) float64 {
	n := 1.702 * l.scale()
	return bernoulliVar(priorVar / (n * n))
}
