package num

import "palate/internal/simd"

// LogPhiTo writes log Φ(z) to dst, many at a time.
func LogPhiTo(dst, z []float64) {
	scratch := make([]float64, 2*len(z))
	simd.Probit(dst, scratch[:len(z)], scratch[len(z):], z)
}
