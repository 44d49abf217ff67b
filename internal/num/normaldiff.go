package num

import "math"

// LogPhiDiff returns log(Φ(hi) − Φ(lo)) for lo < hi, stable in both tails and
// for narrow intervals. It is −∞ when lo = hi and NaN when lo > hi.
func LogPhiDiff(lo, hi float64) float64 {
	switch {
	case math.IsNaN(lo) || math.IsNaN(hi) || lo > hi:
		return math.NaN()
	case lo == hi:
		return math.Inf(-1)
	case math.IsInf(lo, -1):
		return LogPhi(hi)
	case math.IsInf(hi, 1):
		return LogPhi(-lo)
	}
	if lo+hi > 0 {
		lo, hi = -hi, -lo // the mirror image, nearer the lower tail
	}
	width, mid := hi-lo, lo+(hi-lo)/2
	if width*(1-mid) < 1 {
		return logNarrow(mid, width)
	}
	if hi >= 0 {
		return math.Log1p(-Phi(lo) - Phi(-hi))
	}
	// log Φ(lo) − log Φ(hi) with the quadratic parts subtracted as a product.
	logPhi, hHi, _ := Probit(hi)
	_, hLo, _ := Probit(lo)
	return logPhi + Log1mExp(width*mid-math.Log(hLo/hHi))
}

// logNarrow integrates φ over mid ± width/2, where |mid|·width and width are below one, by
// Taylor's series: with h = width/2 it is φ(mid)·2h·Σ_j He_2j(mid)·h^2j/(2j+1)!, of which eleven
// terms are exact to rounding.
func logNarrow(mid, width float64) float64 {
	h := width / 2
	by, square := mid*h, h*h
	sum, before, term := 1.0, 1.0, by // terms are He_n(mid)·hⁿ/n!
	for n := 2; n <= 20; n += 2 {
		even := (by*term - square*before) * reciprocal[n]
		if sum += even * reciprocal[n+1]; math.Abs(even) < negligible && math.Abs(term) < negligible {
			break // terms to come are smaller still
		}
		before, term = even, (by*even-square*term)*reciprocal[n+1]
	}
	return -mid*mid/2 - logSqrt2Pi + math.Log(width*sum)
}

// negligible is far below rounding of a sum near one.
const negligible = 1e-19

var reciprocal = func() (r [22]float64) {
	for n := range r {
		r[n] = 1 / float64(n)
	}
	return r
}()
