package population

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
)

// metric is about the curvature of an objective, blocks along the diagonal, and the
// coordinates in which it is one: a climb takes about as many steps as the curvature is
// wrong by, whatever the units and correlations of what is climbed over.
type metric struct {
	size   []int       // of each block
	factor [][]float64 // lower Cholesky factors
}

// newMetric factors blocks, lower triangles, in place. It reports whether all are
// positive definite.
func newMetric(size []int, blocks [][]float64) (*metric, bool) {
	m := &metric{size: size, factor: blocks}
	for b, n := range size {
		logDet, ok := num.Factor(blocks[b], n)
		if !ok || math.IsNaN(logDet) {
			return nil, false
		}
	}
	return m, true
}

// solve sets x to L⁻¹x, or with blas.Trans to L⁻ᵀx: a gradient in the coordinates of the
// metric, or a step out of them.
func (m *metric) solve(t blas.Transpose, x []float64) {
	for b, n := range m.size {
		serialBLAS.Dtrsm(blas.Left, blas.Lower, t, blas.NonUnit, n, 1, 1, m.factor[b], n, x, 1)
		x = x[n:]
	}
}

// variances returns the diagonal of the inverse.
func (m *metric) variances() (out []float64) {
	for b, n := range m.size {
		x := append([]float64(nil), m.factor[b]...)
		num.InvertLower(x, n)
		d := make([]float64, n)
		for i := range n {
			for j, v := range x[i*n : i*n+i+1] {
				d[j] += v * v
			}
		}
		out = append(out, d...)
	}
	return out
}
