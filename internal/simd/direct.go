package simd

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// The names of gonum's blas64 and lapack64, straight to the routines of this package,
// whatever is registered with gonum: code that calls them gives the same bits in any
// process, and importing it changes nothing there.

// General, Vector, Symmetric and Triangular are gonum's matrices.
type (
	General    = blas64.General
	Vector     = blas64.Vector
	Symmetric  = blas64.Symmetric
	Triangular = blas64.Triangular
)

// Vec returns the numbers of x as a vector.
func Vec(x []float64) Vector { return Vector{N: len(x), Data: x, Inc: 1} }

// Dot returns xᵀy.
func Dot(x, y Vector) float64 {
	same(x, y)
	return BLAS{}.Ddot(x.N, x.Data, x.Inc, y.Data, y.Inc)
}

// Nrm2 returns √(xᵀx).
func Nrm2(x Vector) float64 { return BLAS{}.Dnrm2(x.N, x.Data, x.Inc) }

// Axpy adds alpha·x to y.
func Axpy(alpha float64, x, y Vector) {
	same(x, y)
	BLAS{}.Daxpy(x.N, alpha, x.Data, x.Inc, y.Data, y.Inc)
}

func same(x, y Vector) {
	if x.N != y.N {
		panic(fmt.Sprintf("simd: vectors of length %d and %d", x.N, y.N))
	}
}

// Scal multiplies x by alpha.
func Scal(alpha float64, x Vector) { BLAS{}.Dscal(x.N, alpha, x.Data, x.Inc) }

// Gemv computes y = alpha·op(A)·x + beta·y.
func Gemv(t blas.Transpose, alpha float64, a General, x Vector, beta float64, y Vector) {
	BLAS{}.Dgemv(t, a.Rows, a.Cols, alpha, a.Data, a.Stride, x.Data, x.Inc, beta, y.Data, y.Inc)
}

// Symv computes y = alpha·A·x + beta·y.
func Symv(alpha float64, a Symmetric, x Vector, beta float64, y Vector) {
	BLAS{}.Dsymv(a.Uplo, a.N, alpha, a.Data, a.Stride, x.Data, x.Inc, beta, y.Data, y.Inc)
}

// Trmv overwrites x with op(A)·x.
func Trmv(t blas.Transpose, a Triangular, x Vector) {
	BLAS{}.Dtrmv(a.Uplo, t, a.Diag, a.N, a.Data, a.Stride, x.Data, x.Inc)
}

// Trsv overwrites x with op(A)⁻¹·x.
func Trsv(t blas.Transpose, a Triangular, x Vector) {
	BLAS{}.Dtrsv(a.Uplo, t, a.Diag, a.N, a.Data, a.Stride, x.Data, x.Inc)
}

// Syr adds alpha·xxᵀ to A.
func Syr(alpha float64, x Vector, a Symmetric) {
	BLAS{}.Dsyr(a.Uplo, a.N, alpha, x.Data, x.Inc, a.Data, a.Stride)
}

// Gemm computes C = alpha·op(A)·op(B) + beta·C.
func Gemm(tA, tB blas.Transpose, alpha float64, a, b General, beta float64, c General) {
	m, k := a.Rows, a.Cols
	if transposed(tA) {
		m, k = k, m
	}
	n := b.Cols
	if transposed(tB) {
		n = b.Rows
	}
	BLAS{}.Dgemm(tA, tB, m, n, k, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data, c.Stride)
}

// Symm computes C = alpha·A·B + beta·C or alpha·B·A + beta·C.
func Symm(s blas.Side, alpha float64, a Symmetric, b General, beta float64, c General) {
	BLAS{}.Dsymm(s, a.Uplo, c.Rows, c.Cols, alpha, a.Data, a.Stride, b.Data, b.Stride, beta, c.Data, c.Stride)
}

// Syrk computes C = alpha·op(A)·op(A)ᵀ + beta·C.
func Syrk(t blas.Transpose, alpha float64, a General, beta float64, c Symmetric) {
	n, k := a.Rows, a.Cols
	if transposed(t) {
		n, k = k, n
	}
	BLAS{}.Dsyrk(c.Uplo, t, n, k, alpha, a.Data, a.Stride, beta, c.Data, c.Stride)
}

// Trmm overwrites B with alpha·op(A)·B or alpha·B·op(A).
func Trmm(s blas.Side, t blas.Transpose, alpha float64, a Triangular, b General) {
	BLAS{}.Dtrmm(s, a.Uplo, t, a.Diag, b.Rows, b.Cols, alpha, a.Data, a.Stride, b.Data, b.Stride)
}

// Trsm overwrites B with alpha·op(A)⁻¹·B or alpha·B·op(A)⁻¹.
func Trsm(s blas.Side, t blas.Transpose, alpha float64, a Triangular, b General) {
	BLAS{}.Dtrsm(s, a.Uplo, t, a.Diag, b.Rows, b.Cols, alpha, a.Data, a.Stride, b.Data, b.Stride)
}

// Potrf overwrites one triangle of A with its Cholesky factor, and reports whether A
// was positive definite.
func Potrf(a Symmetric) (Triangular, bool) {
	ok := LAPACK{}.Dpotrf(a.Uplo, a.N, a.Data, max(1, a.Stride))
	return Triangular{Uplo: a.Uplo, Diag: blas.NonUnit, N: a.N, Data: a.Data, Stride: a.Stride}, ok
}

// Potrs overwrites B with A⁻¹·B, A being given by its factor.
func Potrs(factor Triangular, b General) {
	first, second := blas.Trans, blas.NoTrans
	if factor.Uplo == blas.Lower {
		first, second = second, first
	}
	Trsm(blas.Left, first, 1, factor, b)
	Trsm(blas.Left, second, 1, factor, b)
}

// Trtri overwrites a triangular matrix with its inverse, and reports whether it has one:
// with halves P and R on the diagonal and Q beside them, Q becomes −P⁻¹QR⁻¹.
func Trtri(a Triangular) bool {
	if a.N == 0 {
		return true
	}
	if a.N == 1 {
		if a.Diag == blas.NonUnit {
			if a.Data[0] == 0 {
				return false
			}
			a.Data[0] = 1 / a.Data[0]
		}
		return true
	}
	h := a.N / 2
	first, second := a, a
	first.N, second.N = h, a.N-h
	second.Data = a.Data[h*a.Stride+h:]
	beside := General{Rows: h, Cols: a.N - h, Stride: a.Stride, Data: a.Data[h:]}
	left, right := first, second
	if a.Uplo == blas.Lower {
		beside = General{Rows: a.N - h, Cols: h, Stride: a.Stride, Data: a.Data[h*a.Stride:]}
		left, right = second, first
	}
	Trsm(blas.Left, blas.NoTrans, -1, left, beside)
	Trsm(blas.Right, blas.NoTrans, 1, right, beside)
	return Trtri(first) && Trtri(second)
}

// Mul sets dst, which may be empty or one of the factors, to a·b, as its method of that
// name does.
func Mul(dst *mat.Dense, a, b mat.Matrix) {
	rows, inner := a.Dims()
	other, cols := b.Dims()
	if inner != other {
		panic(fmt.Sprintf("simd: product of %d×%d and %d×%d", rows, inner, other, cols))
	}
	if dst.IsEmpty() {
		dst.ReuseAs(rows, cols)
	}
	if r, c := dst.Dims(); r != rows || c != cols {
		panic(fmt.Sprintf("simd: a product of %d×%d for %d×%d", rows, cols, r, c))
	}
	out := dst.RawMatrix()
	sa, leftSymmetric := a.(mat.RawSymmetricer)
	sb, rightSymmetric := b.(mat.RawSymmetricer)
	switch {
	case leftSymmetric:
		Symm(blas.Left, 1, sa.RawSymmetric(), plain(b, out), 0, out)
	case rightSymmetric:
		Symm(blas.Right, 1, sb.RawSymmetric(), plain(a, out), 0, out)
	default:
		x, tx := factor(a, out)
		y, ty := factor(b, out)
		Gemm(tx, ty, 1, x, y, 0, out)
	}
}

// factor returns a matrix, or its transpose and that it is one, apart from where the
// product goes.
func factor(a mat.Matrix, out General) (General, blas.Transpose) {
	t := blas.NoTrans
	if of, ok := a.(mat.Transpose); ok {
		a, t = of.Matrix, blas.Trans
	}
	return plain(a, out), t
}

// plain returns a matrix as it is where that is dense and apart from where the product
// goes, else a copy.
func plain(a mat.Matrix, out General) General {
	if d, ok := a.(*mat.Dense); ok {
		if g := d.RawMatrix(); !overlap(g.Data, out.Data) {
			return g
		}
	}
	return mat.DenseCopyOf(a).RawMatrix()
}

// overlap reports whether slices share an array, beginning anywhere in it.
func overlap(x, y []float64) bool {
	if cap(x) == 0 || cap(y) == 0 {
		return false
	}
	return &x[:cap(x)][cap(x)-1] == &y[:cap(y)][cap(y)-1]
}

// MulVec sets dst, which is not x, to a·x.
func MulVec(dst *mat.VecDense, a *mat.Dense, x *mat.VecDense) {
	Gemv(blas.NoTrans, 1, a.RawMatrix(), x.RawVector(), 0, dst.RawVector())
}
