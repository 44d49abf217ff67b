package crowd

import (
	"math"

	"palate/internal/simd"
	"palate/likelihood"
)

// quadrature is room for integrals of log Φ.
type quadrature struct {
	z, weight, lp, h, rest []float64
}

// The trapezoid rule with these constants is that of likelihood.Expect: a step
// of .7 widths of the probit or deviations of the Gaussian, out to where the
// Gaussian is e⁻³⁶ of its peak, or Φ is 1 to rounding.
const (
	step  = 0.7
	reach = 8.48528137423857
	flat  = 8.5
)

// expect is likelihood.Expect, with all points of a unit probit at once.
func (q *quadrature) expect(l likelihood.Scalar, mean, variance float64) (e, d1, d2 float64) {
	probit, ok := l.(likelihood.Probit)
	if !ok || variance <= 0 || (probit.Noise != 0 && probit.Noise != 1) {
		return likelihood.Expect(l, mean, variance)
	}
	mean -= probit.Offset
	sd := math.Sqrt(variance)
	h := step * math.Min(1/sd, 1)
	first := -math.Floor(reach / h)
	n := int(math.Floor(math.Min(reach, (flat-mean)/sd)/h)-first) + 1
	if n <= 0 {
		return 0, 0, 0
	}
	if cap(q.z) < n {
		m := 2 * n
		q.z, q.weight, q.lp, q.h, q.rest = make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	}
	z, w := q.z[:n], q.weight[:n]
	// e^(−x²/2) at equal steps, by ratios that shrink by a constant; from the
	// middle outwards, so that errors stay small where it is large.
	shrink := math.Exp(-h * h)
	zero := int(-first)
	for _, dir := range [2]int{1, -1} {
		x, ratio := 1.0, math.Exp(-0.5*h*h)
		for k := zero; k >= 0; k += dir {
			if k < n {
				z[k], w[k] = mean+sd*h*float64(k-zero), x
			} else if dir > 0 {
				break
			}
			x *= ratio
			ratio *= shrink
		}
	}
	simd.Probit(q.lp[:n], q.h[:n], q.rest[:n], z)
	for k, x := range w {
		e += x * q.lp[k]
		d1 += x * q.h[k]
		d2 -= x * (1 - q.rest[k])
	}
	norm := h / math.Sqrt(2*math.Pi)
	return e * norm, d1 * norm, d2 * norm
}
