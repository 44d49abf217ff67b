package num

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Cholesky is the lower factor of a symmetric positive definite matrix,
// A + Jitter·I = LLᵀ.
type Cholesky struct {
	// Jitter is what was added to every diagonal entry before factoring.
	Jitter float64

	n int
	l []float64 // row-major, the strict upper triangle is zero
}

// The jitter ladder: nothing first, then powers of ten of the mean diagonal.
const (
	firstJitter = 1e-12
	lastJitter  = 1e-4
)

// NewCholesky factors a. When a is not numerically positive definite it adds to
// the diagonal the smallest of 1e-12, 1e-11, …, 1e-4 times the mean diagonal
// that makes it so, and reports the amount in Jitter. A pivot below n·2⁻⁵² of its
// diagonal entry is rounding noise and counts as a failure. The error names the
// largest jitter tried.
func NewCholesky(a mat.Symmetric) (*Cholesky, error) {
	n := a.SymmetricDim()
	if n == 0 {
		panic("num: Cholesky of an empty matrix")
	}
	c := &Cholesky{n: n, l: make([]float64, n*n)}
	diag := make([]float64, n)
	var mean float64
	for i := range diag {
		diag[i] = a.At(i, i)
		mean += diag[i] / float64(n)
	}
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return nil, fmt.Errorf("num: Cholesky of a %d×%d matrix: mean diagonal is %v", n, n, mean)
	}
	for rung := 0.0; rung <= lastJitter; rung = nextRung(rung) {
		c.Jitter = rung * mean
		if c.factor(a, diag) {
			return c, nil
		}
		if mean <= 0 {
			break // jitter cannot help
		}
	}
	return nil, fmt.Errorf("num: Cholesky of a %d×%d matrix: not positive definite with jitter %.3g on a mean diagonal of %.3g", n, n, c.Jitter, mean)
}

func nextRung(rung float64) float64 {
	if rung == 0 {
		return firstJitter
	}
	// Rounding must not push the last rung past the end of the ladder.
	return math.Pow(10, math.Round(math.Log10(rung))+1)
}

// factor fills l from a with the current jitter and factors it in place.
func (c *Cholesky) factor(a mat.Symmetric, diag []float64) bool {
	n := c.n
	copyLower(c.l, n, a)
	for i, d := range diag {
		c.l[i*n+i] = d + c.Jitter
	}
	_, ok := simd.Potrf(simd.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: c.l})
	if !ok {
		return false
	}
	noise := float64(n) * 0x1p-52
	for i, d := range diag {
		pivot := c.l[i*n+i]
		if !(pivot*pivot > noise*(d+c.Jitter)) || math.IsInf(pivot, 1) {
			return false
		}
		clear(c.l[i*n+i+1 : i*n+n])
	}
	return true
}

// copyLower copies the lower triangle of a into dst, by tiles because gonum
// stores the upper one.
func copyLower(dst []float64, n int, a mat.Symmetric) {
	raw, ok := a.(mat.RawSymmetricer)
	if !ok {
		for i := range n {
			for j := range i + 1 {
				dst[i*n+j] = a.At(i, j)
			}
		}
		return
	}
	const tile = 32
	src := raw.RawSymmetric()
	for i0 := 0; i0 < n; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, n); i++ {
				for j := j0; j < min(j0+tile, i+1); j++ {
					dst[i*n+j] = src.Data[j*src.Stride+i]
				}
			}
		}
	}
}

// L returns the lower factor. It shares memory with c: callers do not write to it.
func (c *Cholesky) L() *mat.TriDense { return mat.NewTriDense(c.n, mat.Lower, c.l) }

// LogDet returns log|A + Jitter·I|.
func (c *Cholesky) LogDet() float64 {
	var s float64
	for i := range c.n {
		s += math.Log(c.l[i*c.n+i])
	}
	return 2 * s
}
