package simd

import "math"

// The twins of the assembly in matern_amd64.s.

// gatherRow accumulates one row of X against eight of Y.
func gatherRow(g gather, x, y []float64, s, p *[8]float64) {
	for f, v := range x {
		yf := (*[8]float64)(y[8*f:])
		switch g {
		case squares:
			for c, u := range yf {
				d := v - u
				s[c] += d * d
			}
		case spans:
			for c, u := range yf {
				s[c] += math.Abs(v - u)
			}
		case lines:
			for c, u := range yf {
				a := math.Abs(v - u)
				s[c] += a
				p[c] += p[c] * a
			}
		case conics:
			for c, u := range yf {
				a := math.Abs(v - u)
				s[c] += a
				p[c] *= 1 + a*(1+a*(1.0/3))
			}
		}
	}
}

// split takes p ≥ 1 apart into a mantissa and an exponent; infinity counts as 2¹⁰²⁴.
func split(p float64) (m, e float64) {
	b := math.Float64bits(p)
	return math.Float64frombits(b&(1<<52-1) | 1023<<52), float64(int(b>>52) - 1023)
}

func fold(p, e []float64) {
	for i, v := range p {
		m, x := split(v)
		p[i] = m
		e[i] += x
	}
}

// flushed is p·2ⁿ for n ≤ 1023, 0 in place of subnormal numbers.
func flushed(p, n float64) float64 {
	return p * math.Float64frombits(uint64(max(0, 1023+int64(max(n, -2000))))<<52)
}

func finishAll(f finish, s, p, e []float64) {
	for i, v := range s {
		if f == asIs || math.IsNaN(v) {
			continue
		}
		factor, n := 1.0, 0.0
		switch f {
		case expNeg:
			v = min(v, farRoot)
		case expRoot:
			v = min(math.Sqrt(v), farRoot)
		case expRoot32:
			v = min(math.Sqrt(v), farRoot)
			factor = 1 + v
		case expRoot52:
			v = min(math.Sqrt(v), farRoot)
			factor = 1 + v*(1+v*(1.0/3))
		case expTimes:
			if v > -lowest { // 0, whatever p claims
				s[i] = 0
				continue
			}
			factor, n = split(p[i])
			n += e[i]
		}
		q, k := expParts(-v, 0)
		s[i] = flushed(q*factor, k+n)
	}
}
