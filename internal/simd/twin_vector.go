package simd

import "math"

// The twins of the assembly in vector_amd64.s: the same reductions and polynomials, one value at a time.

// poly is Σ cⱼxʲ as even and odd halves.
func poly(c []float64, x float64) float64 {
	xx := x * x
	a, b := c[len(c)-1], c[len(c)-2]
	j := len(c) - 3
	for ; j > 0; j -= 2 {
		a = a*xx + c[j]
		b = b*xx + c[j-1]
	}
	if j == 0 { // an odd number of coefficients: a is the even half
		a = a*xx + c[0]
		return a + x*b
	}
	return b + x*a
}

// expParts is e^(x+low) as p·2ⁿ.
func expParts(x, low float64) (p, n float64) {
	n = math.RoundToEven(x * math.Log2E)
	r := x - n*ln2hi + low - n*ln2lo
	return 1 + (r + r*r*poly(expPoly[:], r)), n
}

// scaled is p·2ⁿ, rounded once.
func scaled(p, n float64) float64 {
	k := int64(max(-2000, min(2000, n)))
	h := k / 2
	return p * math.Float64frombits(uint64(1023+h)<<52) * math.Float64frombits(uint64(1023+k-h)<<52)
}

func expOne(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	return scaled(expParts(max(lowest, min(farRoot, x)), 0))
}

func logOne(x float64) float64 {
	switch {
	case math.IsNaN(x) || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	shift := 0.0
	if x < 0x1p-1022 {
		x *= 1 << 54
		shift = 54
	}
	const one, root = 0x3ff0_0000_0000_0000, 0x3fe6_a09e_667f_3bcd // bits of 1 and √½
	b := math.Float64bits(x)
	k := (b + one - root) >> 52
	f := math.Float64frombits(b-k<<52+one) - 1
	e := float64(int(k)-1023) - shift
	s := f / (2 + f)
	w := s * s
	return e*ln2hi + (f - (s*(f-w*poly(logPoly[:], w)) - e*ln2lo))
}

// millsOne gives w = 1/(t+4), y = (t−4)/(t+4) and (t+4)·R(t).
func millsOne(t float64) (w, y, p float64) {
	w = 1 / (t + twoFold/2)
	y = 1 - twoFold*w
	return w, y, poly(millsPoly[:], y)
}

// density is φ(t) for t ≤ farthest: the square of t is split so that nothing of it is lost.
func density(t float64) float64 {
	hi := math.Float64frombits(math.Float64bits(t) &^ (1<<27 - 1))
	p, n := expParts(-hi*hi/2, -(t-hi)*(t+hi)/2)
	return scaled(p*invRoot, n)
}

func probitOne(z float64) (lp, h, rest float64) {
	t := math.Abs(z)
	w, y, p := millsOne(t)
	if z > 0 {
		t = min(t, farthest)
		d := density(t)
		q := d * (w * p)
		u := 1 - q
		h = d / u
		return logOne(u) + ((1 - u) - q), h, 1 - h*(t+h)
	}
	if math.IsInf(z, -1) {
		return z, t, 0
	}
	return -t*t/2 + logOne(w*p*invRoot), (t + twoFold/2) / p, w * w * poly(restPoly[:], y)
}
