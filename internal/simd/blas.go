package simd

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// BLAS is gonum's with the hot double-precision routines replaced.
type BLAS struct {
	gonum.Implementation
	Serial   bool // never more than one goroutine
	Portable bool // the pure-Go twins even where there is assembly
}

func (b BLAS) mode() mode { return mode{portable: b.Portable, serial: b.Serial} }

func transposed(t blas.Transpose) bool { return t != blas.NoTrans }

// matrix is op(A) as a view.
func matrix(a []float64, lda int, trans bool) view {
	if trans {
		return view{a, 1, lda}
	}
	return view{a, lda, 1}
}

func scale(m, n int, by float64, c []float64, ldc int) {
	if by == 1 {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		if by == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= by
		}
	}
}

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (b BLAS) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, x []float64, ldx int, y []float64, ldy int, beta float64, c []float64, ldc int) {
	b.Implementation.Dgemm(tA, tB, m, n, k, 0, x, ldx, y, ldy, 1, c, ldc) // checks its arguments and does nothing
	fresh := beta == 0 && alpha != 0 && k > 0
	if !fresh {
		scale(m, n, beta, c, ldc)
	}
	if alpha != 0 {
		b.mode().gemm(all, m, n, k, alpha, matrix(x, ldx, transposed(tA)), matrix(y, ldy, transposed(tB)), c, ldc, fresh)
	}
}

// Dsyrk computes one triangle of C = alpha·op(A)·op(A)ᵀ + beta·C.
func (b BLAS) Dsyrk(ul blas.Uplo, tA blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	rows, cols := n, k
	if transposed(tA) {
		rows, cols = k, n
	}
	sound := n > 0 && k > 0 && lda >= cols && ldc >= n && len(a) >= lda*(rows-1)+cols && len(c) >= ldc*(n-1)+n
	fresh := sound && beta == 0 && alpha != 0
	if !fresh && !(sound && beta == 1) {
		b.Implementation.Dsyrk(ul, tA, n, k, 0, a, lda, beta, c, ldc) // checks, and scales C
	}
	if alpha == 0 {
		return
	}
	p, v := upper, matrix(a, lda, transposed(tA))
	if ul == blas.Lower {
		p = lower
	}
	b.mode().gemm(p, n, n, k, alpha, v, v.t(), c, ldc, fresh)
}

// Dsymm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C with A symmetric.
func (b BLAS) Dsymm(s blas.Side, ul blas.Uplo, m, n int, alpha float64, a []float64, lda int, y []float64, ldy int, beta float64, c []float64, ldc int) {
	b.Implementation.Dsymm(s, ul, m, n, 0, a, lda, y, ldy, 1, c, ldc)
	if m == 0 || n == 0 {
		return
	}
	scale(m, n, beta, c, ldc)
	if alpha == 0 {
		return
	}
	k := n
	if s == blas.Left {
		k = m
	}
	full := make([]float64, k*k)
	for i := range k {
		for j := i; j < k; j++ {
			v := a[i*lda+j]
			if ul == blas.Lower {
				v = a[j*lda+i]
			}
			full[i*k+j], full[j*k+i] = v, v
		}
	}
	sym, other := view{full, k, 1}, view{y, ldy, 1}
	if s == blas.Left {
		b.mode().gemm(all, m, n, k, alpha, sym, other, c, ldc, false)
	} else {
		b.mode().gemm(all, m, n, k, alpha, other, sym, c, ldc, false)
	}
}

// Dtrsm overwrites B with alpha·op(A)⁻¹·B or alpha·B·op(A)⁻¹.
func (b BLAS) Dtrsm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, x []float64, ldx int) {
	b.triangular(mode.trsm, s, ul, tA, d, m, n, alpha, a, lda, x, ldx)
}

// Dtrmm overwrites B with alpha·op(A)·B or alpha·B·op(A).
func (b BLAS) Dtrmm(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, x []float64, ldx int) {
	b.triangular(mode.trmm, s, ul, tA, d, m, n, alpha, a, lda, x, ldx)
}

func (b BLAS) triangular(f func(mode, triangular, int, int, view), s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n int, alpha float64, a []float64, lda int, x []float64, ldx int) {
	k := n
	if s == blas.Left {
		k = m
	}
	if m == 0 || n == 0 || len(a) < lda*(k-1)+k || len(x) < ldx*(m-1)+n || alpha == 0 {
		b.Implementation.Dtrsm(s, ul, tA, d, m, n, 0, a, lda, x, ldx) // returns, panics or zeroes
		return
	}
	check(s, ul, tA, d, m, n, k, lda, ldx)
	scale(m, n, alpha, x, ldx)
	t := triangular{matrix(a, lda, transposed(tA)), (ul == blas.Lower) != transposed(tA), d == blas.Unit}
	v := view{x, ldx, 1}
	if s == blas.Right { // X·T = B is Tᵀ·Xᵀ = Bᵀ
		t.view, t.low = t.t(), !t.low
		v, m, n = v.t(), n, m
	}
	f(b.mode(), t, m, n, v)
}

// check panics as gonum does on arguments that are not of the routine's form; with no columns it touches nothing.
func check(s blas.Side, ul blas.Uplo, tA blas.Transpose, d blas.Diag, m, n, k, lda, ldx int) {
	if m < 0 || n < 0 || lda < max(1, k) || ldx < max(1, n) {
		panic("simd: triangular solve or product: bad size or leading dimension")
	}
	gonum.Implementation{}.Dtrsm(s, ul, tA, d, 0, 0, 1, nil, 1, nil, 1)
}
