package crowd

import (
	"math"

	"palate/internal/num"
	"palate/internal/simd"
	"palate/likelihood"
)

// quadrature is room for integrals of log Φ.
type quadrature struct {
	z, weight, lp, h, rest, side []float64
	usual                        []float64 // weights at the usual step, from the middle
	hermite                      [3]struct{ x, w []float64 }
}

// The trapezoid rule with these constants is that of likelihood.Expect: a step
// of .7 widths of the probit or deviations of the Gaussian, out to where the
// Gaussian is e⁻³⁶ of its peak, or Φ is 1 to rounding.
const (
	step  = 0.7
	reach = 8.48528137423857
	flat  = 8.5
)

// hermite says up to which deviation how many Gauss–Hermite points are right to
// 1e-9, second derivatives included.
func hermite() [3]struct {
	sd     float64
	points int
} {
	return [3]struct {
		sd     float64
		points int
	}{{0.3, 8}, {0.5, 12}, {0.7, 16}}
}

// expect is likelihood.Expect, with all points of a probit or a tie at once.
func (q *quadrature) expect(l likelihood.Scalar, mean, variance float64) (e, d1, d2 float64) {
	if variance <= 0 {
		return likelihood.Expect(l, mean, variance)
	}
	slope := 1.0
	switch l := l.(type) {
	case likelihood.Probit:
		slope = 1 / l.Width()
		e, d1, d2 = q.probit(slope*(mean-l.Offset), slope*slope*variance)
	case likelihood.Tie:
		slope = 1 / l.Width()
		e, d1, d2 = q.tie(slope*l.Threshold, slope*mean, slope*slope*variance)
	default:
		return likelihood.Expect(l, mean, variance)
	}
	return e, slope * d1, slope * slope * d2
}

// probit is that of a unit probit.
func (q *quadrature) probit(mean, variance float64) (e, d1, d2 float64) {
	sd := math.Sqrt(variance)
	z, w, norm := q.rule(mean, sd, (flat-mean)/sd)
	n := len(z)
	simd.Probit(q.lp[:n], q.h[:n], q.rest[:n], z)
	for k, x := range w {
		e += x * q.lp[k]
		d1 += x * q.h[k]
		d2 -= x * (1 - q.rest[k])
	}
	return e * norm, d1 * norm, d2 * norm
}

// rule returns points and weights for expectations under N(mean, sd²) of what
// vanishes beyond so many deviations, and what the weights are to be multiplied by.
// There is room for as many points again.
func (q *quadrature) rule(mean, sd, most float64) (z, w []float64, norm float64) {
	for k, r := range hermite() {
		if sd > r.sd {
			continue
		}
		rule := &q.hermite[k]
		if rule.x == nil {
			rule.x, rule.w = num.GaussHermite(r.points)
			q.grow(2 * r.points)
		}
		z = q.z[:r.points]
		for i, x := range rule.x {
			z[i] = mean + sd*x
		}
		return z, rule.w, 1
	}
	h := step * math.Min(1/sd, 1)
	zero := int(math.Floor(reach / h))
	n := max(0, int(math.Floor(math.Min(reach, most)/h))+zero+1)
	q.grow(2 * n)
	q.bell(n, zero, h, mean, sd)
	return q.z[:n], q.weight[:n], h / math.Sqrt(2*math.Pi)
}

func (q *quadrature) grow(n int) {
	if len(q.z) >= n {
		return
	}
	for _, x := range []*[]float64{&q.z, &q.weight, &q.lp, &q.h, &q.rest, &q.side} {
		*x = make([]float64, 2*n)
	}
}

// bell sets n points at equal steps of h deviations, the mean at point zero, and
// weights e^(−x²/2), by ratios that shrink by a constant; from the middle outwards,
// so that errors stay small where they are large.
func (q *quadrature) bell(n, zero int, h, mean, sd float64) {
	z, w := q.z[:n], q.weight[:n]
	if h == step {
		if q.usual == nil {
			for k := 0; float64(k)*step <= reach; k++ {
				q.usual = append(q.usual, math.Exp(-0.5*step*step*float64(k*k)))
			}
		}
		for k := range z {
			x := k - zero
			z[k], w[k] = mean+sd*h*float64(x), q.usual[max(x, -x)]
		}
		return
	}
	shrink := math.Exp(-h * h)
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
}
