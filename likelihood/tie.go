package likelihood

import (
	"math"

	"palate/internal/num"
	"palate/internal/simd"
)

// Tie is the likelihood of a draw when a win needs a margin: the noisy
// difference of the two utilities stays within ±Threshold,
// p(z) = Φ((t−z)/Noise) − Φ((−t−z)/Noise). Noise 0 stands for 1. The win that
// goes with it is Win: Probit with Offset t, so the three outcomes sum to one.
type Tie struct {
	Noise, Threshold float64
}

// Win returns the likelihood of a win under the same margin.
func (l Tie) Win() Probit { return Probit{Noise: l.Noise, Offset: l.Threshold} }

// Width returns the noise.
func (l Tie) Width() float64 { return Probit{Noise: l.Noise}.noise() }

// LogProb returns log p(z) and its derivatives.
func (l Tie) LogProb(z float64) (lp, d1, d2 float64) {
	t := l.Tilt(z, 0)
	return t.LogZ, t.D1, t.D2
}

// logProbs is log Φ(u₁) + log(1 − Φ(u₂)/Φ(u₁)) with u₁ = t − |z| and u₂ = −t − |z|.
func (l Tie) logProbs(dst, z []float64) {
	noise := l.Width()
	far := make([]float64, len(z))
	for i, x := range z {
		x = math.Abs(x)
		dst[i], far[i] = (l.Threshold-x)/noise, (-l.Threshold-x)/noise
	}
	num.LogPhiTo(dst, dst)
	num.LogPhiTo(far, far)
	for i, x := range far {
		far[i] = -math.Expm1(x - dst[i])
	}
	simd.Log(far, far)
	for i, x := range far {
		dst[i] += x
	}
}

// Tilt integrates in closed form: the noise variance grows by v.
func (l Tie) Tilt(m, v float64) Tilted { return tiltWindow(l.Threshold, m, l.Width()*l.Width(), v) }

// tiltWindow integrates the chance that z, disturbed by a variance n2, is within ±threshold
// against N(m, v).
func tiltWindow(threshold, m, n2, v float64) Tilted {
	r2 := n2 + v
	r := math.Sqrt(r2)
	lo, hi, sign := window(threshold, m, r)
	if far(lo, hi) {
		logPhi, h, rest := num.Probit(hi)
		return Tilted{logPhi, -sign * h / r, -(1 - rest) / r2, (n2 + v*rest) / r2}
	}
	logZ := num.LogPhiDiff(lo, hi)
	a := math.Exp(-0.5*hi*hi - logSqrt2Pi - logZ) // φ(hi)/Z
	b := math.Exp(-0.5*lo*lo - logSqrt2Pi - logZ) // φ(lo)/Z
	d1 := b - a
	// 1 − Var/r². It lies in (0, 1), but cancels where a and b are large.
	g := min(max(hi*a-lo*b+d1*d1, 0), 1)
	if h := (hi - lo) / 2; h < narrow {
		g = 1 - h*h*slopedVariance(h*(hi+lo)/2)
	}
	return Tilted{logZ, sign * d1 / r, -g / r2, (n2 + v*(1-g)) / r2}
}

// window returns the ends of a window about −m in deviations r, and the sign of m. By symmetry
// it is taken with m ≥ 0, so that lo ≤ hi and lo is the farther one.
func window(threshold, m, r float64) (lo, hi, sign float64) {
	sign = 1
	if m < 0 {
		m, sign = -m, -1
	}
	return (-threshold - m) / r, (threshold - m) / r, sign
}

// far reports whether φ(lo) is nothing beside φ(hi): the window is one-sided.
func far(lo, hi float64) bool { return (hi-lo)*(hi+lo) < -2*farTail }

// logWindow is the log probability of a window.
func logWindow(lo, hi float64) float64 {
	if far(lo, hi) {
		logPhi, _, _ := num.Probit(hi)
		return logPhi
	}
	return num.LogPhiDiff(lo, hi)
}

// slopedVariance returns the variance of the density ∝ exp(−kx) on [−1, 1].
func slopedVariance(k float64) float64 {
	if math.Abs(k) < 0.05 {
		return 1./3 - k*k/15
	}
	s := math.Sinh(k)
	return 1/(k*k) - 1/(s*s)
}

const (
	narrow     = 1e-3 // half the width of a window, in deviations, over which a Gaussian is exponential
	farTail    = 40
	logSqrt2Pi = 0.91893853320467274178
)
