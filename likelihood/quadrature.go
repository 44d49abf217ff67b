package likelihood

import "math"

// width is the scale on which a likelihood bends; 1 unless it says otherwise.
func width(l Scalar) float64 {
	if w, ok := l.(interface{ Width() float64 }); ok {
		return w.Width()
	}
	return 1
}

// flat is where log p is zero to rounding from there on; +∞ where it never is.
func flat(l Scalar) float64 {
	if f, ok := l.(interface{ Flat() float64 }); ok {
		return f.Flat()
	}
	return math.Inf(1)
}

// The integrands are analytic in a strip around the real line (the nearest
// zeros of Φ lie at −1.92 ± 2.82i, the poles of the logistic at ±πi), so the
// trapezoid rule converges like exp(−2π·strip/step): 1e-11 for a step of .7
// widths of the likelihood. For the Gaussian itself a step of .7 sd is good to
// 1e-17. The tilted integrand is steeper, hence the finer step there.
const (
	expectStep = 0.7
	tiltStep   = 0.5
)

// tail is the log of the share of the peak below which a point is left out.
const tail = -36

// tiltQuadrature integrates p(z)N(z; m, v) by the trapezoid rule, walking out
// from the mode of the integrand on both sides until nothing is left.
func tiltQuadrature(l Scalar, m, v float64) Tilted {
	if v <= 0 {
		lp, d1, d2 := l.LogProb(m)
		return Tilted{lp, d1, d2, 1}
	}
	z, curv := tiltedMode(l, m, v)
	peak, _, _ := l.LogProb(z)
	peak -= (z - m) * (z - m) / (2 * v)
	wide := width(l)
	if p, ok := l.(Power); ok && p.Weight > 1 { // several are sharper than one
		wide /= math.Sqrt(p.Weight)
	}
	step := tiltStep * math.Min(wide, 1/math.Sqrt(curv))

	// Moments about the mode, relative to the peak.
	s0, s1, s2 := 1.0, 0.0, 0.0
	for _, dir := range [2]float64{1, -1} {
		for k := 1.0; ; k++ {
			x := dir * k * step
			lp, _, _ := l.LogProb(z + x)
			e := lp - (z+x-m)*(z+x-m)/(2*v) - peak
			if !(e > tail) {
				break
			}
			w := math.Exp(e)
			s0 += w
			s1 += w * x
			s2 += w * x * x
		}
	}
	mean := s1 / s0
	shrink := (s2/s0 - mean*mean) / v
	return Tilted{
		LogZ:   peak + math.Log(s0*step) - 0.5*math.Log(2*math.Pi*v),
		D1:     (z + mean - m) / v,
		D2:     (shrink - 1) / v,
		Shrink: shrink,
	}
}

// tiltedMode maximises log p(z) − (z−m)²/2v, which is strictly concave where p is
// log-concave, by Newton steps kept inside a shrinking bracket.
func tiltedMode(l Scalar, m, v float64) (z, curvature float64) {
	lo, hi := math.Inf(-1), math.Inf(1)
	z = m
	for range 100 {
		_, d1, d2 := l.LogProb(z)
		g := d1 - (z-m)/v
		curvature = 1/v + max(0, -d2)
		next := z + g/curvature
		if next == z {
			break
		}
		if g > 0 {
			lo = z
		} else {
			hi = z
		}
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-z)*math.Sqrt(curvature) < 1e-3 || math.IsNaN(next) {
			break
		}
		z = next
	}
	return z, curvature
}

// expectQuadrature integrates log p and its derivatives against N(m, v) by
// the trapezoid rule.
func expectQuadrature(l Scalar, m, v float64) (e, d1, d2 float64) {
	sd := math.Sqrt(v)
	step := expectStep * math.Min(width(l)/sd, 1) // in units of sd
	reach := math.Sqrt(-2 * tail)
	end := math.Min(reach, (flat(l)-m)/sd)
	for k := -math.Floor(reach / step); k*step <= end; k++ {
		x := k * step
		w := math.Exp(-0.5 * x * x)
		lp, g, h := l.LogProb(m + sd*x)
		e += w * lp
		d1 += w * g
		d2 += w * h
	}
	norm := step / math.Sqrt(2*math.Pi)
	return e * norm, d1 * norm, d2 * norm
}

// tiltLogistic integrates a likelihood that falls no faster than an exponential, as the
// logistic ones do: by Gauss–Hermite where the Gaussian is narrow, from the derivatives of p.
func tiltLogistic[L interface {
	Scalar
	Width() float64
}](l L, m, v float64) Tilted {
	sd := math.Sqrt(v)
	for k := range hermite {
		g := &hermite[k]
		if sd > 0.7*g.sd*l.Width() {
			continue
		}
		top, _, _ := l.LogProb(m)
		var s0, s1, s2 float64
		for i, x := range g.x {
			lp, d1, d2 := l.LogProb(m + sd*x)
			p := g.w[i] * math.Exp(lp-top)
			s0 += p
			s1 += p * d1
			s2 += p * (d2 + d1*d1)
		}
		d1 := s1 / s0
		d2 := s2/s0 - d1*d1
		return Tilted{top + math.Log(s0), d1, d2, 1 + d2*v}
	}
	return tiltQuadrature(l, m, v)
}
