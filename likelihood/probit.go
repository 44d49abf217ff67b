package likelihood

import (
	"math"

	"palate/internal/num"
)

// Probit is the likelihood that the first of two items wins a noisy duel,
// p(z) = Φ((z − Offset)/Noise). Noise 0 stands for 1. With utilities disturbed
// by variance ½ each, as in CROWD (2), Noise is 1; with variance 1 each, as in
// DRAFT (2), it is √2; with variance σ² each, as in EPNOTE, it is √2·σ. Offset
// is the margin a win needs where ties are possible; see Tie.
type Probit struct {
	Noise, Offset float64
}

func (l Probit) noise() float64 { return unless0(l.Noise) }

// Width returns the noise.
func (l Probit) Width() float64 { return l.noise() }

// Flat is where Φ is 1 to rounding.
func (l Probit) Flat() float64 { return l.Offset + probitFlat*l.noise() }

// probitFlat is where that of a unit probit is.
const probitFlat = 8.5

// LogProb returns log Φ and its derivatives h and −h(z+h), h = φ/Φ.
func (l Probit) LogProb(z float64) (lp, d1, d2 float64) {
	t := l.Tilt(z, 0)
	return t.LogZ, t.D1, t.D2
}

func (l Probit) logProbs(dst, z []float64) {
	for i, x := range z {
		dst[i] = (x - l.Offset) / l.noise()
	}
	num.LogPhiTo(dst, dst)
}

// Tilt is Φ((m−Offset)/√(Noise²+v)) in closed form.
func (l Probit) Tilt(m, v float64) Tilted {
	n2 := l.noise() * l.noise()
	return tiltProbit(m-l.Offset, n2, v)
}

// tiltProbit integrates Φ(z/√n2) against N(m, v). With g = h(z+h) the tilted
// variance is v·(1 − g·v/(n2+v)) = v·(n2 + v(1−g))/(n2+v), free of cancellation
// since 1−g comes directly from num.Probit. EPNOTE, corrected.
func tiltProbit(m, n2, v float64) Tilted {
	r2 := n2 + v
	r := math.Sqrt(r2)
	logPhi, h, rest := num.Probit(m / r)
	return Tilted{
		LogZ:   logPhi,
		D1:     h / r,
		D2:     -(1 - rest) / r2,
		Shrink: (n2 + v*rest) / r2,
	}
}

// Observe reads a win as the observation 1 of Φ(z).
func (l Probit) Observe(z float64) (g, slope, target float64) {
	x := (z - l.Offset) / l.noise()
	return num.Phi(x), math.Exp(-0.5*x*x) / math.Sqrt(2*math.Pi) / l.noise(), 1
}

// ObservationVar is Q of CROWD (9), corrected: the expected variance of a
// Bernoulli draw under the beta posterior after one win, whose symmetric prior
// has the variance that Φ(z) has under the prior of z.
func (l Probit) ObservationVar(priorVar float64) float64 {
	return bernoulliVar(priorVar / (l.noise() * l.noise()))
}

// bernoulliVar matches Beta(γ, γ) to Φ(x), x ~ N(0, t2), whose variance is
// asin(t2/(1+t2))/2π in closed form, and returns E[p(1−p)] = ab/(n(n+1)) after
// one win.
func bernoulliVar(t2 float64) float64 {
	prior := math.Asin(t2/(1+t2)) / (2 * math.Pi)
	if prior < 1e-12 {
		return 0.25 // γ → ∞
	}
	gamma := (1/(4*prior) - 1) / 2
	a, b := 1+gamma, gamma
	n := a + b
	return a * b / (n * (n + 1))
}
