package num

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Exact is the factor of a matrix that is positive definite by the way it was made,
// as a sum of precisions is: it takes no jitter.
type Exact struct{ u *mat.TriDense }

// NewExact factors a as it is.
func NewExact(a mat.Symmetric) (*Exact, error) {
	n := a.SymmetricDim()
	u := mat.NewTriDense(n, mat.Upper, nil)
	r := u.RawTriangular()
	for i := range n {
		for j := i; j < n; j++ {
			r.Data[i*r.Stride+j] = a.At(i, j)
		}
	}
	if _, ok := simd.Potrf(simd.Symmetric{Uplo: blas.Upper, N: n, Stride: r.Stride, Data: r.Data}); !ok {
		return nil, fmt.Errorf("num: a %d×%d matrix is not positive definite", n, n)
	}
	return &Exact{u}, nil
}

// LogDet returns the log determinant of the matrix.
func (e *Exact) LogDet() (sum float64) {
	for i := range e.u.RawTriangular().N {
		sum += 2 * math.Log(e.u.At(i, i))
	}
	return sum
}

// Upper returns U with UᵀU the matrix.
func (e *Exact) Upper() *mat.TriDense { return e.u }

// Lower returns L with LLᵀ the matrix.
func (e *Exact) Lower() *mat.TriDense {
	l := mat.NewTriDense(e.u.RawTriangular().N, mat.Lower, nil)
	l.Copy(e.u.T())
	return l
}

// SolveTo sets dst to the solutions for the columns of b.
func (e *Exact) SolveTo(dst *mat.Dense, b mat.Matrix) {
	if dst.IsEmpty() {
		dst.ReuseAs(b.Dims())
	}
	dst.Copy(b)
	simd.Potrs(e.u.RawTriangular(), dst.RawMatrix())
}

// SolveVecTo sets dst to the solution for b, which may be dst.
func (e *Exact) SolveVecTo(dst, b *mat.VecDense) {
	dst.CopyVec(b)
	simd.Trsv(blas.Trans, e.u.RawTriangular(), dst.RawVector())
	simd.Trsv(blas.NoTrans, e.u.RawTriangular(), dst.RawVector())
}

// Inverse returns that of the matrix, for where all of it is wanted.
func (e *Exact) Inverse() *mat.SymDense {
	n := e.u.RawTriangular().N
	root := mat.NewTriDense(n, mat.Upper, nil)
	root.Copy(e.u)
	if !simd.Trtri(root.RawTriangular()) {
		panic("num: a factor with a zero on its diagonal")
	}
	inv := mat.NewSymDense(n, nil)
	simd.Syrk(blas.NoTrans, 1, mat.DenseCopyOf(root).RawMatrix(), 0, inv.RawSymmetric())
	return inv
}

// FactorUpper puts the upper factor of a in its place; it is not ok when a is not
// positive definite.
func FactorUpper(a simd.Symmetric) (factor simd.Triangular, ok bool) { return simd.Potrf(a) }
