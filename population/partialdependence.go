package population

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// PartialDependence returns mean and covariance of what features tell of the consensus at any points: of
// the means of that function over blocks of size rows of features each, with their covariance
// before the votes. What is each item's own is left out, and what the items learnt on leave open
// is in the covariance, jointly.
func (f *Family) PartialDependence(c *Consensus, features *mat.Dense, size int) (mean []float64, cov, before *mat.SymDense, err error) {
	it := f.Items().OfMean()
	if it.Kernel == nil {
		return nil, nil, nil, fmt.Errorf("population: the items have no features that tell them apart")
	}
	if _, cols := features.Dims(); cols != it.Points.Dim() {
		return nil, nil, nil, fmt.Errorf("population: points with %d features, the items have %d", cols, it.Points.Dim())
	}
	n, all := it.base, it.N
	points, self := it.cross(features)
	rows, _ := points.Dims()
	blocks := rows / size
	psi, spread := mat.NewDense(blocks, n, nil), f.Spread()
	before = mat.NewSymDense(blocks, nil)
	for b := range blocks {
		for i := b * size; i < (b+1)*size; i++ {
			num.Axpy((1-it.Own)/float64(size), points.RawRowView(i)[:n], psi.RawRowView(b))
			for d := b; d < blocks; d++ {
				var sum float64
				for _, v := range self.RawRowView(i)[d*size : (d+1)*size] {
					sum += v
				}
				before.SetSym(b, d, before.At(b, d)+spread*(1-it.Own)*sum/float64(size*size))
			}
		}
	}
	// Given the means t of the items the points have Bt, B = (1−o)K*((1−o)K + o·I)⁻¹.
	factor := mixFactor(it.K, all, n, it.Own)
	l := simd.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Data: factor, Stride: n}
	simd.Trsm(blas.Right, blas.Trans, 1, l, psi.RawMatrix())
	cov = mat.NewSymDense(blocks, nil)
	cov.CopySym(before)
	simd.Syrk(blas.NoTrans, -spread, psi.RawMatrix(), 1, cov.RawSymmetric())
	simd.Trsm(blas.Right, blas.NoTrans, 1, l, psi.RawMatrix())
	known := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			known.Set(i, j, c.Cov(i, j))
		}
	}
	var half, told mat.Dense
	simd.Mul(&half, psi, known)
	simd.Mul(&told, &half, psi.T())
	mean = make([]float64, blocks)
	for a := range blocks {
		mean[a] = num.Dot(psi.RawRowView(a), c.Mean[:n])
		for b := a; b < blocks; b++ {
			cov.SetSym(a, b, cov.At(a, b)+told.At(a, b))
		}
	}
	return mean, cov, before, nil
}

// Spread is the variance of the consensus beforehand, over members and classes.
func (f *Family) Spread() (sum float64) {
	for _, m := range f.Members {
		unit := m.unit()
		for _, c := range m.Classes {
			sum += m.Weight * c.Share * c.Spread * unit * unit
		}
	}
	return sum
}
