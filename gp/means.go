package gp

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
	"palate/kernel"
)

// Means are means over points of a function that a part of a prior's kernel tells, seen through its
// weights.
type Means struct {
	psi  *mat.Dense    // features of each
	self *mat.SymDense // covariance at scale one
}

// Means returns those over blocks of size points of x each. k is the part of the kernel that sees
// features (kernel.OfFeatures), so that what is each item's own is left out.
func (p *Prior) Means(k kernel.Kernel, x kernel.Points, size int) *Means {
	blocks := x.Len() / size
	m := &Means{mat.NewDense(blocks, p.d, nil), mat.NewSymDense(blocks, nil)}
	var cross, self mat.Dense
	for b := range blocks {
		part := x.Subset(span(b*size, (b+1)*size))
		cross.Reset()
		k.MatrixTo(&cross, part, p.anchor)
		meanRow(m.psi.RawRowView(b), &cross)
		rest := span(b*size, blocks*size)
		self.Reset()
		k.MatrixTo(&self, part, x.Subset(rest))
		row := make([]float64, len(rest))
		meanRow(row, &self)
		for c := b; c < blocks; c++ {
			var sum float64
			for _, v := range row[(c-b)*size : (c-b+1)*size] {
				sum += v
			}
			m.self.SetSym(b, c, sum/float64(size))
		}
	}
	p.whiten(m.psi)
	return m
}

// Means returns mean and covariance of means that the prior has, and their covariance before the
// votes. What the weights leave open between points is in the covariance, jointly.
func (q *Posterior) Means(m *Means) (mean []float64, cov, before *mat.SymDense) {
	blocks := m.self.SymmetricDim()
	before, cov = mat.NewSymDense(blocks, nil), mat.NewSymDense(blocks, nil)
	before.ScaleSym(1/q.Scale, m.self)
	cov.CopySym(before)
	mean = make([]float64, blocks)
	simd.Gemv(blas.NoTrans, 1, m.psi.RawMatrix(), simd.Vec(q.Mean), 0, simd.Vec(mean))
	simd.Syrk(blas.NoTrans, -1/q.Scale, m.psi.RawMatrix(), 1, cov.RawSymmetric())
	root := mat.DenseCopyOf(m.psi)
	simd.Trsm(blas.Right, blas.NoTrans, 1, q.upper.RawTriangular(), root.RawMatrix())
	simd.Syrk(blas.NoTrans, 1, root.RawMatrix(), 1, cov.RawSymmetric())
	return mean, cov, before
}

// meanRow adds the mean of the rows of m to dst.
func meanRow(dst []float64, m *mat.Dense) {
	n, _ := m.Dims()
	for i := range n {
		simd.Axpy(1/float64(n), simd.Vec(m.RawRowView(i)), simd.Vec(dst))
	}
}

func span(lo, hi int) []int {
	all := make([]int, hi-lo)
	for i := range all {
		all[i] = lo + i
	}
	return all
}
