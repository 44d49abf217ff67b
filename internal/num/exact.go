package num

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Exact is the factor of a matrix that is positive definite by the way it was made,
// as a sum of precisions is: it takes no jitter.
type Exact struct{ chol mat.Cholesky }

// NewExact factors a as it is.
func NewExact(a mat.Symmetric) (*Exact, error) {
	e := &Exact{}
	if !e.chol.Factorize(a) {
		n := a.SymmetricDim()
		return nil, fmt.Errorf("num: a %d×%d matrix is not positive definite", n, n)
	}
	return e, nil
}

// LogDet returns the log determinant of the matrix.
func (e *Exact) LogDet() float64 { return e.chol.LogDet() }

// Upper returns U with UᵀU the matrix.
func (e *Exact) Upper() *mat.TriDense {
	var u mat.TriDense
	e.chol.UTo(&u)
	return &u
}

// Lower returns L with LLᵀ the matrix.
func (e *Exact) Lower() *mat.TriDense {
	var l mat.TriDense
	e.chol.LTo(&l)
	return &l
}

// SolveTo sets dst to the solutions for the columns of b.
func (e *Exact) SolveTo(dst *mat.Dense, b mat.Matrix) { conditioned(e.chol.SolveTo(dst, b)) }

// SolveVecTo sets dst to the solution for b, which may be dst.
func (e *Exact) SolveVecTo(dst, b *mat.VecDense) { conditioned(e.chol.SolveVecTo(dst, b)) }

// Inverse returns that of the matrix, for where all of it is wanted.
func (e *Exact) Inverse() *mat.SymDense {
	var inv mat.SymDense
	conditioned(e.chol.InverseTo(&inv))
	return &inv
}

// conditioned accepts what a badly conditioned matrix leads to.
func conditioned(err error) {
	if _, ok := err.(mat.Condition); err != nil && !ok {
		panic(err)
	}
}

// FactorUpper puts the upper factor of a in its place; it is not ok when a is not
// positive definite.
func FactorUpper(a blas64.Symmetric) (factor blas64.Triangular, ok bool) { return lapack64.Potrf(a) }
