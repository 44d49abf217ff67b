package num

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// SolveTo stores A⁻¹B in dst, which may be empty or B itself.
func (c *Cholesky) SolveTo(dst *mat.Dense, b mat.Matrix) {
	c.load(dst, b)
	c.trsm(blas.NoTrans, dst)
	c.trsm(blas.Trans, dst)
}

// SolveLTo stores L⁻¹B in dst (forward substitution).
func (c *Cholesky) SolveLTo(dst *mat.Dense, b mat.Matrix) {
	c.load(dst, b)
	c.trsm(blas.NoTrans, dst)
}

// SolveLTTo stores L⁻ᵀB in dst (back substitution).
func (c *Cholesky) SolveLTTo(dst *mat.Dense, b mat.Matrix) {
	c.load(dst, b)
	c.trsm(blas.Trans, dst)
}

// SolveVecTo stores A⁻¹b in dst, which may be b itself.
func (c *Cholesky) SolveVecTo(dst, b []float64) {
	c.loadVec(dst, b)
	c.trsv(blas.NoTrans, dst)
	c.trsv(blas.Trans, dst)
}

// SolveLVecTo stores L⁻¹b in dst.
func (c *Cholesky) SolveLVecTo(dst, b []float64) {
	c.loadVec(dst, b)
	c.trsv(blas.NoTrans, dst)
}

// SolveLTVecTo stores L⁻ᵀb in dst.
func (c *Cholesky) SolveLTVecTo(dst, b []float64) {
	c.loadVec(dst, b)
	c.trsv(blas.Trans, dst)
}

func (c *Cholesky) load(dst *mat.Dense, b mat.Matrix) {
	rows, cols := b.Dims()
	if rows != c.n {
		panic(fmt.Sprintf("num: solve: right-hand side has %d rows, want %d", rows, c.n))
	}
	if dst.IsEmpty() {
		dst.ReuseAs(rows, cols)
	}
	if r, k := dst.Dims(); r != rows || k != cols {
		panic(fmt.Sprintf("num: solve: destination is %d×%d, want %d×%d", r, k, rows, cols))
	}
	dst.Copy(b)
}

func (c *Cholesky) loadVec(dst, b []float64) {
	if len(dst) != c.n || len(b) != c.n {
		panic(fmt.Sprintf("num: solve: vectors of length %d and %d, want %d", len(dst), len(b), c.n))
	}
	copy(dst, b)
}

func (c *Cholesky) triangle() simd.Triangular {
	return simd.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: c.n, Stride: c.n, Data: c.l}
}

func (c *Cholesky) trsm(t blas.Transpose, b *mat.Dense) {
	simd.Trsm(blas.Left, t, 1, c.triangle(), b.RawMatrix())
}

func (c *Cholesky) trsv(t blas.Transpose, b []float64) {
	simd.Trsv(t, c.triangle(), simd.Vector{N: c.n, Inc: 1, Data: b})
}
