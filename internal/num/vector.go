package num

import "palate/internal/simd"

// LogPhiTo writes log Φ(z) to dst, many at a time.
func LogPhiTo(dst, z []float64) {
	var h, rest [256]float64
	for len(z) > 0 {
		n := min(len(z), len(h))
		simd.Probit(dst[:n], h[:n], rest[:n], z[:n])
		dst, z = dst[n:], z[n:]
	}
}

// Dot returns xᵀy, and Axpy adds ax to y: plain loops, for vectors that are short.
func Dot(x, y []float64) (s float64) {
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func Axpy(a float64, x, y []float64) {
	for i, v := range x {
		y[i] += a * v
	}
}

// Indices returns 0, 1, …, n−1.
func Indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
