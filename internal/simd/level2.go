package simd

import "gonum.org/v1/gonum/blas"

// Ddot is the inner product of x and y.
func (b BLAS) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if n <= 0 || incX != 1 || incY != 1 || len(x) < n || len(y) < n {
		return b.Implementation.Ddot(n, x, incX, y, incY)
	}
	return b.mode().dot(x[:n], y[:n])
}

// Daxpy adds alpha·x to y.
func (b BLAS) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if n <= 0 || incX != 1 || incY != 1 || len(x) < n || len(y) < n || alpha == 0 {
		b.Implementation.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	b.mode().axpy(alpha, x[:n], y[:n])
}

// short is the row length below which gonum's own matrix-vector product is quicker.
const short = 48

// Dgemv computes y = alpha·op(A)·x + beta·y.
func (b BLAS) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if incX != 1 || incY != 1 || n < short {
		b.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	b.Implementation.Dgemv(tA, m, n, 0, a, lda, x, incX, beta, y, incY) // checks, and scales y
	if m == 0 || n == 0 || alpha == 0 {
		return
	}
	if transposed(tA) {
		b.mode().gemvCols(m, alpha, a, lda, x[:m], y[:n])
	} else {
		b.mode().gemvRows(m, alpha, a, lda, x[:n], y[:m])
	}
}

// Dsyr adds alpha·x·xᵀ to one triangle of A.
func (b BLAS) Dsyr(ul blas.Uplo, n int, alpha float64, x []float64, incX int, a []float64, lda int) {
	b.Implementation.Dsyr(ul, n, 0, x, incX, a, lda)
	if n == 0 || alpha == 0 {
		return
	}
	if incX != 1 {
		b.Implementation.Dsyr(ul, n, alpha, x, incX, a, lda)
		return
	}
	md := b.mode()
	for i := range n {
		from, to := i, n
		if ul == blas.Lower {
			from, to = 0, i+1
		}
		md.axpy(alpha*x[i], x[from:to], a[i*lda+from:i*lda+to])
	}
}

// Dsymv computes y = alpha·A·x + beta·y with A symmetric; each row of the triangle is read once for both its uses.
func (b BLAS) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	b.Implementation.Dsymv(ul, n, 0, a, lda, x, incX, beta, y, incY)
	if n == 0 || alpha == 0 {
		return
	}
	if incX != 1 || incY != 1 {
		b.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, 1, y, incY)
		return
	}
	md := b.mode()
	for i := range n {
		from, to := i+1, n
		if ul == blas.Lower {
			from, to = 0, i
		}
		row := a[i*lda+from : i*lda+to]
		y[i] += alpha * (a[i*lda+i]*x[i] + md.dot(row, x[from:to]))
		md.axpy(alpha*x[i], row, y[from:to])
	}
}

// Dtrsv overwrites x with op(A)⁻¹·x.
func (b BLAS) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if n <= 0 || incX != 1 || lda < n || len(a) < lda*(n-1)+n || len(x) < n {
		b.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
		return
	}
	b.mode().trsv(triangular{matrix(a, lda, transposed(tA)), (ul == blas.Lower) != transposed(tA), d == blas.Unit}, x[:n])
}
