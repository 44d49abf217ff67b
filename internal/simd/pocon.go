package simd

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// Dpocon estimates the reciprocal condition number of A from its Cholesky factor: Higham's estimate of ‖A⁻¹‖₁ (ACM TOMS 14, 1988,
// algorithm 4.1) with plain solves. Should one of them overflow, gonum's scaled solves take over.
func (l LAPACK) Dpocon(ul blas.Uplo, n int, a []float64, lda int, anorm float64, work []float64, iwork []int) float64 {
	if n <= 0 || lda < n || len(a) < (n-1)*lda+n || len(work) < 3*n || anorm <= 0 || !finite(anorm) {
		return l.Implementation.Dpocon(ul, n, a, lda, anorm, work, iwork)
	}
	first := triangular{matrix(a, lda, ul == blas.Upper), true, false} // Uᵀ or L
	second := triangular{first.t(), false, false}
	m := mode{portable: l.Portable, serial: l.Serial}
	size := inverseNorm(n, work[:n], work[n:2*n], func(x []float64) {
		m.trsv(first, x)
		m.trsv(second, x)
	})
	if !finite(size) || size == 0 {
		return l.Implementation.Dpocon(ul, n, a, lda, anorm, work, iwork)
	}
	return 1 / size / anorm
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// inverseNorm estimates the 1-norm of a symmetric operator from a few of its products.
func inverseNorm(n int, x, sign []float64, apply func([]float64)) float64 {
	for i := range x {
		x[i] = 1 / float64(n)
	}
	apply(x)
	size := norm1(x)
	if n == 1 {
		return size
	}
	signs(sign, x)
	copy(x, sign)
	apply(x)
	at := largest(x)
	for range 4 {
		clear(x)
		x[at] = 1
		apply(x)
		last := size
		size = norm1(x)
		if !signs(sign, x) || size <= last {
			break
		}
		copy(x, sign)
		apply(x)
		before := at
		at = largest(x)
		if math.Abs(x[before]) == math.Abs(x[at]) {
			break
		}
	}
	for i := range x { // the vector that catches what cancels in the others
		x[i] = 1 + float64(i)/float64(n-1)
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	apply(x)
	return max(size, 2*norm1(x)/(3*float64(n)))
}

func norm1(x []float64) (s float64) {
	for _, v := range x {
		s += math.Abs(v)
	}
	return s
}

// signs writes the signs of x and reports whether any changed.
func signs(dst, x []float64) (changed bool) {
	for i, v := range x {
		s := math.Copysign(1, v)
		changed = changed || dst[i] != s
		dst[i] = s
	}
	return changed
}

func largest(x []float64) (at int) {
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}
