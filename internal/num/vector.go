package num

import "palate/internal/simd"

// LogPhiTo writes log Φ(z) to dst, many at a time.
func LogPhiTo(dst, z []float64) {
	scratch := make([]float64, 2*len(z))
	simd.Probit(dst, scratch[:len(z)], scratch[len(z):], z)
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
