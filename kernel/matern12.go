package kernel

import "math"

func matern12Values(a []float64) {
	for i, v := range a {
		a[i] = math.Exp(-math.Sqrt(v))
	}
}

// −k′(a)/a = e^{−a}/a. At the kink the gradient is taken as zero.
func matern12Slopes(a []float64) {
	for i, v := range a {
		if v == 0 {
			continue
		}
		r := math.Sqrt(v)
		a[i] = math.Exp(-r) / r
	}
}

func matern12Product(dst, x, y []float64) {
	n := len(x)
	for j := range dst {
		row := y[j*n : j*n+n]
		var s0, s1 float64
		d := 0
		for ; d+1 < n; d += 2 {
			s0 += math.Abs(x[d] - row[d])
			s1 += math.Abs(x[d+1] - row[d+1])
		}
		if d < n {
			s0 += math.Abs(x[d] - row[d])
		}
		dst[j] = math.Exp(-(s0 + s1))
	}
}

// s(a) = a.
func matern12Relief(grad, w, x, y []float64) {
	n := len(x)
	grad = grad[:n]
	for j, c := range w {
		if c == 0 {
			continue
		}
		row := y[j*n : j*n+n]
		for d, v := range x {
			grad[d] += c * math.Abs(v-row[d])
		}
	}
}
