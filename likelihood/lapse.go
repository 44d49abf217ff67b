package likelihood

import (
	"math"

	"palate/internal/simd"
)

// Lapse is the likelihood of an outcome of a voter who calls a share of all pairs a draw
// whatever they are, and else votes as Of says: a draw has Share + (1−Share)·p(z) and a win
// (1−Share)·p(z). Far out a draw tells next to nothing, so that it is not log-concave.
type Lapse struct {
	Of    Scalar
	Share float64
	Draw  bool
}

// Width returns half that of the likelihood inside: the logarithm of a sum bends more
// sharply than its parts.
func (l Lapse) Width() float64 { return 0.5 * width(l.Of) }

// LogProb returns log p(z) and its derivatives.
func (l Lapse) LogProb(z float64) (lp, d1, d2 float64) {
	lp, d1, d2 = l.Of.LogProb(z)
	t := l.mix(Tilted{lp, d1, d2, 1}, 0)
	return t.LogZ, t.D1, t.D2
}

func (l Lapse) logProbs(dst, z []float64) {
	LogProbs(dst, l.Of, z)
	looked := math.Log1p(-l.Share)
	for i := range dst {
		dst[i] += looked
	}
	if !l.Draw || l.Share == 0 {
		return
	}
	simd.Exp(dst, dst)
	for i := range dst {
		dst[i] += l.Share
	}
	simd.Log(dst, dst)
}

// Tilt is that of the likelihood inside, mixed.
func (l Lapse) Tilt(m, v float64) Tilted { return l.mix(Tilt(l.Of, m, v), v) }

// mix adds the share to an integral Z: with r the part of the whole that is not a lapse,
// the derivatives of the log are r·d1 and r·d2 + r(1−r)·d1².
func (l Lapse) mix(t Tilted, v float64) Tilted {
	looked := math.Log1p(-l.Share) + t.LogZ
	if !l.Draw || l.Share == 0 {
		t.LogZ = looked
		return t
	}
	lapsed := math.Log(l.Share)
	top := max(looked, lapsed)
	logZ := top + math.Log(math.Exp(looked-top)+math.Exp(lapsed-top))
	r, rest := math.Exp(looked-logZ), math.Exp(lapsed-logZ)
	between := r * rest * t.D1 * t.D1
	return Tilted{LogZ: logZ, D1: r * t.D1, D2: r*t.D2 + between, Shrink: rest + r*t.Shrink + between*v}
}
