package kernel

import "math"

func matern52Values(a []float64) {
	for i, v := range a {
		r := math.Sqrt(v)
		if r > gone {
			a[i] = 0
			continue
		}
		a[i] = (1 + r*(1+r/3)) * math.Exp(-r)
	}
}

// k′(a) = −a(1+a)e^{−a}/3, so −k′(a)/a = (1+a)e^{−a}/3.
func matern52Slopes(a []float64) {
	for i, v := range a {
		r := math.Sqrt(v)
		if r > gone {
			a[i] = 0
			continue
		}
		a[i] = (1 + r) / 3 * math.Exp(-r)
	}
}

// e^{−Σa} Π(1+a+a²/3), as for Matern32.
func matern52Product(dst, x, y []float64) { foldedProduct(dst, x, y, matern52Fold) }

// matern52Fold returns Σa and Π(1+a+a²/3) over at most fold features.
func matern52Fold(x, y []float64) (s, p float64) {
	y = y[:len(x)]
	var s0, s1 float64
	p0, p1 := 1.0, 1.0
	d := 0
	for ; d+1 < len(x); d += 2 {
		a, b := math.Abs(x[d]-y[d]), math.Abs(x[d+1]-y[d+1])
		s0 += a
		s1 += b
		p0 *= 1 + a*(1+a/3)
		p1 *= 1 + b*(1+b/3)
	}
	if d < len(x) {
		a := math.Abs(x[d] - y[d])
		s0 += a
		p0 *= 1 + a*(1+a/3)
	}
	return s0 + s1, p0 * p1
}

// s(a) = a²(1+a)/(3+3a+a²).
func matern52Relief(grad, w, x, y []float64) {
	n := len(x)
	grad = grad[:n]
	for j, c := range w {
		if c == 0 {
			continue
		}
		row := y[j*n : j*n+n]
		for d, v := range x {
			a := math.Abs(v - row[d])
			grad[d] += c * a * a * (1 + a) / (3 + a*(3+a))
		}
	}
}
