package kernel

import "math"

func matern32Values(a []float64) {
	for i, v := range a {
		r := math.Sqrt(v)
		if r > gone {
			a[i] = 0
			continue
		}
		a[i] = (1 + r) * math.Exp(-r)
	}
}

// k′(a) = −a e^{−a}, so −k′(a)/a = e^{−a}.
func matern32Slopes(a []float64) {
	for i, v := range a {
		a[i] = math.Exp(-math.Sqrt(v))
	}
}

// Π(1+a)e^{−a} = e^{−Σa} Π(1+a): one exponential an entry.
func matern32Product(dst, x, y []float64) { foldedProduct(dst, x, y, matern32Fold) }

// matern32Fold returns Σa and Π(1+a) over at most fold features.
func matern32Fold(x, y []float64) (s, p float64) {
	y = y[:len(x)]
	var s0, s1 float64
	p0, p1 := 1.0, 1.0
	d := 0
	for ; d+1 < len(x); d += 2 {
		a, b := math.Abs(x[d]-y[d]), math.Abs(x[d+1]-y[d+1])
		s0 += a
		s1 += b
		p0 *= 1 + a
		p1 *= 1 + b
	}
	if d < len(x) {
		a := math.Abs(x[d] - y[d])
		s0 += a
		p0 *= 1 + a
	}
	return s0 + s1, p0 * p1
}

// s(a) = a²/(1+a): CROWD (43) without the division by k.
func matern32Relief(grad, w, x, y []float64) {
	n := len(x)
	grad = grad[:n]
	for j, c := range w {
		if c == 0 {
			continue
		}
		row := y[j*n : j*n+n]
		for d, v := range x {
			a := math.Abs(v - row[d])
			grad[d] += c * a * a / (1 + a)
		}
	}
}
