package num

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

const (
	invSqrt2Pi = 0.398942280401432677939946059934381868 // 1/√(2π)
	logSqrt2Pi = 0.918938533204672741780329736405617640 // log √(2π)

	// tail is where Mills' continued fraction takes over from erfc. Below it the
	// direct 1 − h(z+h) would lose z⁴ units of rounding; from 4 on the fraction
	// needs at most 29 terms.
	tail = 4
)

// density returns φ(z). The rounding error of z² is put back, so that the
// relative error does not grow with z².
func density(z float64) float64 {
	hi := z * z
	if hi > 1600 { // φ underflows; also keeps an infinite z² out of the correction
		return 0
	}
	lo := math.FMA(z, z, -hi)
	return invSqrt2Pi * math.Exp(-hi/2) * (1 - lo/2)
}

// mills returns r₁ and r₂ of the continued fraction h(−x) = x + r₁,
// r_k = k/(x + r_{k+1}), for x ≥ tail. The remainder is started at the root of
// r(x+r) = k, which the fraction tends to.
func mills(x float64) (r1, r2 float64) {
	k := math.Ceil(6 + 92/x) // the depth that leaves r₂ − r₁ correct to 1e-14
	r := 2 * k / (x + math.Sqrt(x*x+4*k))
	for k--; k >= 2; k-- {
		r = k / (x + r)
	}
	return 1 / (x + r), r
}

// Phi returns Φ(z), the standard normal distribution function, with relative
// accuracy in both tails.
func Phi(z float64) float64 {
	if z <= -tail {
		r1, _ := mills(-z)
		return density(z) / (r1 - z)
	}
	return math.Erfc(-z/math.Sqrt2) / 2
}

// upper returns Φ(−z) for z > 0. The rounding of z/√2 costs z² units, which
// erfc can afford for a while and is faster.
func upper(z float64) float64 {
	if z < 10 {
		return math.Erfc(z/math.Sqrt2) / 2
	}
	return Phi(-z)
}

// LogPhi returns log Φ(z).
func LogPhi(z float64) float64 {
	switch {
	case z <= -tail:
		r1, _ := mills(-z)
		return -z*z/2 - logSqrt2Pi - math.Log(r1-z)
	case z > 0:
		return math.Log1p(-upper(z))
	}
	return math.Log(Phi(z))
}

// Probit returns log Φ(z), h = φ(z)/Φ(z), and rest = 1 − h(z+h) without
// cancellation. rest lies in (0, 1): it is 1/z² for z → −∞ and 1 for z → ∞.
func Probit(z float64) (logPhi, h, rest float64) {
	if z <= -tail {
		r1, r2 := mills(-z)
		h = r1 - z
		return -z*z/2 - logSqrt2Pi - math.Log(h), h, r1 * (r2 - r1)
	}
	var cdf float64
	if z <= 0 {
		cdf = math.Erfc(-z/math.Sqrt2) / 2
		logPhi = math.Log(cdf)
	} else {
		q := upper(z)
		cdf = 1 - q
		logPhi = math.Log1p(-q)
	}
	h = density(z) / cdf
	if h == 0 {
		return logPhi, 0, 1 // z may be infinite: h·z is zero in the limit
	}
	return logPhi, h, 1 - h*(z+h)
}

// Quantile returns Φ⁻¹(p): −∞ at 0, +∞ at 1, NaN outside [0, 1].
func Quantile(p float64) float64 {
	if !(p > 0 && p < 1) {
		switch p {
		case 0:
			return math.Inf(-1)
		case 1:
			return math.Inf(1)
		}
		return math.NaN()
	}
	if p > 0.5 {
		return -Quantile(1 - p) // 1 − p is exact here
	}
	z := mathext.NormalQuantile(p)
	// One Newton step on log Φ(z) = log p brings the start to full accuracy.
	logPhi, h, _ := Probit(z)
	return z - (logPhi-math.Log(p))/h
}
