package likelihood

import (
	"math"

	"palate/internal/num"
)

// RaoKupper is the likelihood of a draw when a win needs a margin and noise is logistic
// (Rao and Kupper 1967): the noisy difference of the two utilities stays within
// ±Threshold, p(z) = σ((t−z)/Scale) − σ((−t−z)/Scale). Scale 0 stands for 1. The win that
// goes with it is Logit with Offset t.
type RaoKupper struct {
	Scale, Threshold float64
}

// Win returns the likelihood of a win under the same margin.
func (l RaoKupper) Win() Logit { return Logit{Scale: l.Scale, Offset: l.Threshold} }

// Width returns the scale.
func (l RaoKupper) Width() float64 { return unless0(l.Scale) }

// Tilt is quadrature.
func (l RaoKupper) Tilt(m, v float64) Tilted { return tiltLogistic(l, m, v) }

// LogProb returns log p(z) and its derivatives: p is (e^{2t} − 1)·σ(z−t)·σ(−z−t) at scale 1.
func (l RaoKupper) LogProb(z float64) (lp, d1, d2 float64) {
	a := 1 / l.Width()
	t := a * l.Threshold
	z *= a
	up, down := num.Sigmoid(t-z), num.Sigmoid(t+z)
	lp = 2*t + math.Log(-math.Expm1(-2*t)) + num.LogSigmoid(z-t) + num.LogSigmoid(-z-t)
	return lp, a * (up - down), -a * a * (up*(1-up) + down*(1-down))
}
