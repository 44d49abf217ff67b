package likelihood

import (
	"math"

	"palate/internal/num"
	"palate/internal/simd"
)

// Tilt is quadrature, for powers of a probit with many points at a time.
func (l Power) Tilt(m, v float64) Tilted {
	of, looked := l.Of, 0.0
	if lapse, ok := of.(Lapse); ok && !lapse.Draw {
		of, looked = lapse.Of, l.Weight*math.Log1p(-lapse.Share)
	}
	p, ok := of.(Probit)
	if !ok || l.Weight < 1 || v <= 0 {
		return tiltQuadrature(l, m, v)
	}
	noise := p.noise()
	t := tiltPower(l.Weight, (m-p.Offset)/noise, v/(noise*noise))
	return Tilted{t.LogZ + looked, t.D1 / noise, t.D2 / (noise * noise), t.Shrink}
}

// tiltPower integrates Φ(y)^k against N(y; m, v). With r = √v it is either
//
//	∫ φ(x) Φ(m + rx)^k dx,
//
// which bends on the scale of 1/√(1 + kv), or by parts, with t the largest of k standard
// normals,
//
//	∫ kφ(t)Φ(t)^(k−1) Φ((m − t)/r) dt,
//
// which bends on that of 1/√(k + 1/v). The one that bends less is summed over trapezoids.
// Given t the tilted y is a normal above t, so that moments are those of truncated normals.
func tiltPower(k, m, v float64) Tilted {
	r := math.Sqrt(v)
	if v*(1+math.Log(k)) < 0.8 {
		s := bend{{k, m, r}}.sum()
		return Tilted{s.log, k * s.slope, k * (k*s.spread - s.rest), s.variance}
	}
	s := bend{{1, m / r, -1 / r}, {k - 1, 0, 1}}.sum()
	shrink := 1 - s.rest + s.spread
	return Tilted{s.log + math.Log(k), s.slope / r, (s.spread - s.rest) / v, shrink}
}

// bend is φ(x)·ΠΦ(at + by·x)^power.
type bend []struct{ power, at, by float64 }

// bent is the logarithm of the integral of a bend, the variance of x under it, and of its
// first factor the mean of h = φ/Φ, its variance, and the mean of h(z + h).
type bent struct {
	log, variance, slope, spread, rest float64
}

// sum goes through points on both sides of the mode until nothing is left.
func (b bend) sum() (out bent) {
	mode, curvature := b.mode()
	step := powerStep / math.Sqrt(curvature)
	const half = block / 2
	var x, z, lp, h, rest, w, other [block]float64
	var peak, s0, s1, s2, h1, h2, r1 float64
	take := func(first int) (ends [2]float64) {
		for i := range x {
			x[i] = step * float64(first+i)
			w[i] = -0.5 * (mode + x[i]) * (mode + x[i])
		}
		for f := len(b) - 1; f >= 0; f-- {
			for i := range x {
				z[i] = b[f].at + b[f].by*(mode+x[i])
			}
			if f > 0 {
				num.LogPhiTo(other[:], z[:])
				for i := range x {
					w[i] += b[f].power * other[i]
				}
			}
		}
		simd.Probit(lp[:], h[:], rest[:], z[:])
		if first == -half {
			peak = w[half] + b[0].power*lp[half]
		}
		for i := range x {
			w[i] += b[0].power*lp[i] - peak
		}
		ends = [2]float64{w[0], w[block-1]}
		simd.Exp(w[:], w[:])
		for i, p := range w {
			s0 += p
			s1 += p * x[i]
			s2 += p * x[i] * x[i]
			h1 += p * h[i]
			h2 += p * h[i] * h[i]
			r1 += p * (1 - rest[i])
		}
		return ends
	}
	ends := take(-half)
	for first := half; ends[1] > tail; first += block {
		ends[1] = take(first)[1]
	}
	for first := -half - block; ends[0] > tail; first -= block {
		ends[0] = take(first)[0]
	}
	mean := s1 / s0
	out = bent{log: peak + math.Log(s0*step/math.Sqrt(2*math.Pi)), variance: s2/s0 - mean*mean, slope: h1 / s0, rest: r1 / s0}
	out.spread = h2/s0 - out.slope*out.slope
	return out
}

// powerStep is that of the trapezoids, in deviations at the mode.
const powerStep = 0.6

// mode finds where a bend is highest, by Newton steps kept inside a shrinking bracket, and
// how its logarithm curves there.
func (b bend) mode() (x, curvature float64) {
	lo, hi := math.Inf(-1), math.Inf(1)
	for range 100 {
		slope := -x
		curvature = 1
		for _, f := range b {
			_, h, rest := num.Probit(f.at + f.by*x)
			slope += f.power * f.by * h
			curvature += f.power * f.by * f.by * (1 - rest)
		}
		if slope > 0 {
			lo = x
		} else {
			hi = x
		}
		next := x + slope/curvature
		if next == x {
			break
		}
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-x)*math.Sqrt(curvature) < 0.1 || math.IsNaN(next) {
			return x, curvature
		}
		x = next
	}
	return x, curvature
}
