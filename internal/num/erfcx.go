package num

import "math"

// Erfcx returns the scaled complementary error function e^{x²} erfc(x). It
// overflows to +∞ below x ≈ −26.6.
func Erfcx(x float64) float64 {
	if x >= tail/math.Sqrt2 {
		y := x * math.Sqrt2
		r1, _ := mills(y)
		return sqrt2OverPi / (y + r1)
	}
	hi := x * x
	if hi > 800 {
		return math.Inf(1)
	}
	lo := math.FMA(x, x, -hi)
	return math.Exp(hi) * (1 + lo) * math.Erfc(x)
}
