package simd

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Factor overwrites the upper triangles of many small matrices with their Cholesky factors, in parallel, and reports which were
// positive definite.
func Factor(as []blas64.Symmetric) (us []blas64.Triangular, ok []bool) {
	us, ok = make([]blas64.Triangular, len(as)), make([]bool, len(as))
	batches(len(as), func(i int) { us[i], ok[i] = lapack64.Potrf(as[i]) })
	return us, ok
}

// Solve overwrites each right-hand side with the solution of UᵀU·x = b, in parallel.
func Solve(us []blas64.Triangular, bs []blas64.General) {
	batches(len(us), func(i int) { lapack64.Potrs(us[i], bs[i]) })
}

// batches runs f over n small jobs, sixteen at a time.
func batches(n int, f func(i int)) {
	const size = 16
	Parallel((n+size-1)/size, func(b int) {
		for i := b * size; i < min(n, (b+1)*size); i++ {
			f(i)
		}
	})
}
