package kernel

import (
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Linear is the dot product Σ x_d y_d/ℓ_d². Its parameters are the log
// length-scales.
type Linear struct{ lengths lengths }

// NewLinear returns a linear kernel with a length-scale for each feature, or one
// for all of them when lengths has a single entry.
func NewLinear(lengths []float64) *Linear { return &Linear{newLengths(lengths)} }

func (k *Linear) ParamNames() []string         { return k.lengths.names() }
func (k *Linear) Params() []float64            { return k.lengths.copy() }
func (k *Linear) With(params []float64) Kernel { return &Linear{k.lengths.with(params)} }

func (k *Linear) MatrixTo(dst *mat.Dense, x, y Points) {
	size(dst, x, y)
	if x.n == 0 || y.n == 0 {
		return
	}
	src := newSource(x, y, k.lengths.inverse(1, x, y))
	if src.csr == nil {
		xs, ys := src.dense()
		simd.Mul(dst, xs, ys.T())
	} else {
		out := dst.RawMatrix()
		eachBlock(x.n, src.work(), src.reader, func(r *reader, _, lo, hi int) {
			for i := lo; i < hi; i++ {
				r.scatter(i)
				row := out.Data[i*out.Stride : i*out.Stride+y.n]
				for j := range row {
					row[j] = dotSparse(r.xs, src.csr, j)
				}
				r.unscatter(i)
			}
		})
	}
	if x.sameRows(y) {
		mirror(dst.RawMatrix()) // the last bits too
	}
}

// MatrixGrad uses ∂k/∂log ℓ_d = −2 x_d y_d/ℓ_d².
func (k *Linear) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	checkGrad(grad, len(k.lengths), w, x, y)
	if x.n == 0 || y.n == 0 {
		return
	}
	src := newSource(x, y, k.lengths.inverse(1, x, y))
	sum := make([]float64, x.d)
	if src.csr == nil {
		xs, ys := src.dense()
		var wy mat.Dense
		simd.Mul(&wy, w, ys)
		for i := range x.n {
			addProducts(sum, -2, xs.RawRowView(i), wy.RawRowView(i))
		}
	} else {
		weight := weights(w)
		r := src.reader()
		for i := range x.n {
			r.scatter(i)
			for j, c := range weight.Data[i*weight.Stride : i*weight.Stride+y.n] {
				addProductsSparse(sum, -2*c, r.xs, src.csr, j)
			}
			r.unscatter(i)
		}
	}
	k.lengths.fold(grad, sum)
}

func (k *Linear) PairsTo(dst []float64, x Points, i, j []int) {
	checkPairs(dst, i, j)
	src := newPairSource(x, k.lengths.inverse(1, x, x), i, j)
	r, d := src.reader(), x.d
	for p := range dst {
		left, right := r.points(p, 0)
		if src.csr == nil {
			dst[p] = simd.Dot(simd.Vec(src.flat[left*d:(left+1)*d]), simd.Vec(src.flat[right*d:(right+1)*d]))
			continue
		}
		r.scatter(left)
		dst[p] = dotSparse(r.xs, src.csr, right)
		r.unscatter(left)
	}
}

func (k *Linear) PairsGrad(grad, w []float64, x Points, i, j []int) {
	checkPairs(w, i, j)
	checkParams(grad, len(k.lengths))
	src := newPairSource(x, k.lengths.inverse(1, x, x), i, j)
	r, d := src.reader(), x.d
	sum := make([]float64, d)
	for p, c := range w {
		left, right := r.points(p, 0)
		if src.csr == nil {
			addProducts(sum, -2*c, src.flat[left*d:(left+1)*d], src.flat[right*d:(right+1)*d])
			continue
		}
		r.scatter(left)
		addProductsSparse(sum, -2*c, r.xs, src.csr, right)
		r.unscatter(left)
	}
	k.lengths.fold(grad, sum)
}

// dense returns the scaled left and right points as matrices.
func (s *source) dense() (xs, ys *mat.Dense) {
	ys = mat.NewDense(s.y.n, s.y.d, s.flat)
	if s.x.sameRows(s.y) {
		return ys, ys
	}
	return mat.NewDense(s.x.n, s.x.d, scaled(s.x, s.inv)), ys
}

func dotSparse(x []float64, c *CSR, i int) (s float64) {
	index, data := c.row(i)
	for k, d := range index {
		s += x[d] * data[k]
	}
	return s
}

// addProducts adds c·x_d·y_d to sum_d.
func addProducts(sum []float64, c float64, x, y []float64) {
	x, y = x[:len(sum)], y[:len(sum)]
	for d := range sum {
		sum[d] += c * x[d] * y[d]
	}
}

func addProductsSparse(sum []float64, c float64, x []float64, y *CSR, i int) {
	index, data := y.row(i)
	for k, d := range index {
		sum[d] += c * x[d] * data[k]
	}
}
