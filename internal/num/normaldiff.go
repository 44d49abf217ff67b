package num

import "math"

// Positive half of the ten-point Gauss–Legendre rule on [−1, 1].
var (
	legendreX = [5]float64{
		0.14887433898163121, 0.43339539412924719, 0.67940956829902441,
		0.86506336668898451, 0.97390652851717172,
	}
	legendreW = [5]float64{
		0.29552422471475287, 0.26926671930999636, 0.21908636251598204,
		0.14945134915058059, 0.06667134430868814,
	}
)

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

// logNarrow integrates φ over mid ± width/2, where |mid|·width is below one and
// ten points are exact to rounding: φ(m+t) = φ(m) e^{−mt−t²/2}.
func logNarrow(mid, width float64) float64 {
	half := width / 2
	var s float64
	for k, x := range legendreX {
		t := half * x
		s += legendreW[k] * math.Exp(-t*t/2) * math.Cosh(mid*t)
	}
	// Σw over both halves is 2, and cosh has paired ±t.
	return -mid*mid/2 - logSqrt2Pi + math.Log(half) + math.Log(2*s)
}
