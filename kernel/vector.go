package kernel

import (
	"palate/internal/simd"
)

// vectorShapes are the shapes as package simd knows them.
var vectorShapes = [...]simd.Shape{SE: simd.SE, Matern12: simd.Matern12, Matern32: simd.Matern32, Matern52: simd.Matern52}

// vectorised fills dst by the routines of package simd, which have Euclidean
// and SoftAnd for points that are both dense or both sparse, and reports
// whether it did.
func (k *Stationary) vectorised(dst simd.General, x, y Points) bool {
	if k.combine == SoftOr || (x.csr == nil) != (y.csr == nil) {
		return false
	}
	s, inv := vectorShapes[k.shape], k.lengths.inverse(1, x, y)
	switch {
	case x.csr != nil && k.combine == Euclidean:
		simd.EuclideanSparse(dst, s, x.csr.vector(), y.csr.vector(), inv)
	case x.csr != nil:
		simd.ProductSparse(dst, s, x.csr.vector(), y.csr.vector(), inv)
	case k.combine == Euclidean:
		simd.Euclidean(dst, s, x.general(), y.general(), inv)
	default:
		simd.Product(dst, s, x.general(), y.general(), inv)
	}
	return true
}

func (c *CSR) vector() simd.CSR {
	return simd.CSR{Rows: c.rows, Cols: c.cols, Ptr: c.ptr, Index: c.index, Data: c.data}
}

// general returns dense points as a matrix.
func (p Points) general() simd.General {
	return simd.General{Rows: p.n, Cols: p.d, Stride: p.stride, Data: p.data}
}
