package likelihood

import (
	"math"

	"palate/internal/num"
)

// Logit is the Bradley–Terry likelihood of a win, p(z) = 1/(1+e^{−z/Scale}).
// Scale 0 stands for 1.
type Logit struct {
	Scale float64
}

func (l Logit) scale() float64 {
	if l.Scale == 0 {
		return 1
	}
	return l.Scale
}

// Width returns the scale.
func (l Logit) Width() float64 { return l.scale() }

// Flat is where the logistic is 1 to rounding.
func (l Logit) Flat() float64 { return 37 * l.scale() }

// LogProb returns log σ(z/Scale) and its derivatives.
func (l Logit) LogProb(z float64) (lp, d1, d2 float64) {
	a := 1 / l.scale()
	lose := num.Sigmoid(-a * z)
	return num.LogSigmoid(a * z), a * lose, -a * a * lose * (1 - lose)
}

// Bound is Jaakkola's quadratic bound at its best contact point ξ² = E[z²]
// (COLLAB, corrected): π = (σ(ξ)−½)/ξ, β = ½.
func (l Logit) Bound(m, v float64) (term, tau, nu float64) {
	a := 1 / l.scale()
	xi := a * math.Sqrt(m*m+v)
	pi := 0.25 - xi*xi/48 // the series at 0
	if xi > 1e-3 {
		pi = 0.5 * math.Tanh(xi/2) / xi
	}
	// At ξ² = E[z²] the quadratic part vanishes.
	return num.LogSigmoid(xi) - xi/2 + a*m/2, a * a * pi, a / 2
}

// Observe reads a win as the observation 1 of σ(z).
func (l Logit) Observe(z float64) (g, slope, target float64) {
	a := 1 / l.scale()
	p := num.Sigmoid(a * z)
	return p, a * p * num.Sigmoid(-a*z), 1
}

// ObservationVar is CROWD (9), corrected, with the logistic taken as a probit
// of noise 1.702·Scale.
func (l Logit) ObservationVar(priorVar float64) float64 {
	n := 1.702 * l.scale()
	return bernoulliVar(priorVar / (n * n))
}
