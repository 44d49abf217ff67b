package simd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack/gonum"
)

// LAPACK is gonum's with the Cholesky factorisation replaced.
type LAPACK struct {
	gonum.Implementation
	Serial   bool // never more than one goroutine
	Portable bool // the pure-Go twins even where there is assembly
}

// Dpotrf overwrites one triangle of A with its Cholesky factor, A = UᵀU or A = LLᵀ, and reports whether A was positive definite.
func (l LAPACK) Dpotrf(ul blas.Uplo, n int, a []float64, lda int) bool {
	if n <= 0 || lda < n || len(a) < (n-1)*lda+n || ul != blas.Upper && ul != blas.Lower {
		return l.Implementation.Dpotrf(ul, n, a, lda) // returns or panics
	}
	m := mode{portable: l.Portable, serial: l.Serial}
	if ul == blas.Upper {
		return m.potrf(n, a, lda)
	}
	return m.potrfLower(n, a, lda)
}
