package kernel

import (
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Points as vectors, whatever their storage.

// copyRow writes point i to dst.
func (p Points) copyRow(dst []float64, i int) {
	if p.csr == nil {
		copy(dst, p.row(i))
		return
	}
	clear(dst)
	index, data := p.csr.row(i)
	for k, d := range index {
		dst[d] = data[k]
	}
}

// squaredDistance returns |x_i − c|², given |c|². Sparse points touch only their
// non-zeros; what rounding leaves of a zero distance is taken as zero.
func (p Points) squaredDistance(i int, c []float64, norm float64) float64 {
	if p.csr == nil {
		var s [1]float64
		squares(s[:], p.row(i), c)
		return s[0]
	}
	index, data := p.csr.row(i)
	s := norm
	for k, d := range index {
		s += data[k] * (data[k] - 2*c[d])
	}
	if s < 1e-12*norm {
		return 0
	}
	return s
}

// squaredNorm returns |c|².
func squaredNorm(c []float64) (s float64) {
	for _, v := range c {
		s += v * v
	}
	return s
}

// dots returns x_i·c_a for the points lo to hi and all centres.
func (p Points) dots(lo, hi int, c *mat.Dense) *mat.Dense {
	k, _ := c.Dims()
	out := mat.NewDense(hi-lo, k, nil)
	if p.csr == nil {
		simd.Mul(out, p.matrix().Slice(lo, hi, 0, p.d), c.T())
		return out
	}
	for i := lo; i < hi; i++ {
		row := out.RawRowView(i - lo)
		for a := range row {
			row[a] = dotSparse(c.RawRowView(a), p.csr, i)
		}
	}
	return out
}

// meanTo writes the mean of some points to dst.
func (p Points) meanTo(dst []float64, idx []int) {
	clear(dst)
	for _, i := range idx {
		if p.csr == nil {
			for d, v := range p.row(i) {
				dst[d] += v
			}
			continue
		}
		index, data := p.csr.row(i)
		for k, d := range index {
			dst[d] += data[k]
		}
	}
	for d := range dst {
		dst[d] /= float64(len(idx))
	}
}
