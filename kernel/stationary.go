package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Stationary is a kernel of feature differences measured in length-scales, with
// k(x, x) = 1. Its parameters are the log length-scales.
type Stationary struct {
	shape   Shape
	combine Combination
	lengths lengths
}

// NewStationary returns a stationary kernel with a length-scale for each feature,
// or one for all of them when lengths has a single entry.
func NewStationary(s Shape, c Combination, lengths []float64) *Stationary {
	if int(s) >= len(shapes) || int(c) >= len(combinations) {
		panic(fmt.Sprintf("kernel: no stationary kernel %v, %v", s, c))
	}
	return &Stationary{s, c, newLengths(lengths)}
}

func (k *Stationary) ParamNames() []string { return k.lengths.names() }
func (k *Stationary) Params() []float64    { return k.lengths.copy() }

func (k *Stationary) With(params []float64) Kernel {
	return &Stationary{k.shape, k.combine, k.lengths.with(params)}
}

func (k *Stationary) prepare(x, y Points) (rows, []float64) {
	return newRows(k.shape, k.combine, k.lengths.finite(x.d)), k.lengths.inverse(shapes[k.shape].scale, x, y)
}

func (k *Stationary) MatrixTo(dst *mat.Dense, x, y Points) {
	size(dst, x, y)
	out, same := dst.RawMatrix(), x.sameRows(y)
	if k.vectorised(out, x, y) {
		if same {
			mirror(out) // sparse rows are summed in an order that depends on the side
		}
		return
	}
	rows, inv := k.prepare(x, y)
	src := newSource(x, y, inv)
	eachBlock(x.n, src.work(), src.reader, func(r *reader, _, lo, hi int) {
		for i := lo; i < hi; i++ {
			j := 0
			if same {
				j = i // the matrix is symmetric
			}
			row := out.Data[i*out.Stride+j : i*out.Stride+y.n]
			r.reduce(rows, row, i, j)
			rows.finish(row)
		}
	})
	if same {
		mirror(out)
	}
}

func (k *Stationary) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	checkGrad(grad, len(k.lengths), w, x, y)
	rows, inv := k.prepare(x, y)
	weight, same := weights(w), x.sameRows(y)
	src := newSource(x, y, inv)
	k.gather(grad, x.n, x.d, src, func(r *reader, sum []float64, i int) {
		j := 0
		if same {
			j = i + 1 // the diagonal is constant
		}
		row := r.weights[:y.n-j]
		copy(row, weight.Data[i*weight.Stride+j:i*weight.Stride+y.n])
		if same {
			for c := range row {
				row[c] += weight.Data[(j+c)*weight.Stride+i]
			}
		}
		r.grad(rows, sum, row, i, j)
	})
}

func (k *Stationary) PairsTo(dst []float64, x Points, i, j []int) {
	checkPairs(dst, i, j)
	rows, inv := k.prepare(x, x)
	src := newPairSource(x, inv, i, j)
	eachBlock(len(dst), src.work(), src.reader, func(r *reader, _, lo, hi int) {
		for p := lo; p < hi; p++ {
			r.reduce(rows, dst[p:p+1], p, 0)
		}
		rows.finish(dst[lo:hi])
	})
}

func (k *Stationary) PairsGrad(grad, w []float64, x Points, i, j []int) {
	checkPairs(w, i, j)
	checkParams(grad, len(k.lengths))
	rows, inv := k.prepare(x, x)
	src := newPairSource(x, inv, i, j)
	k.gather(grad, len(w), x.d, src, func(r *reader, sum []float64, p int) {
		r.grad(rows, sum, w[p:p+1], p, 0)
	})
}

// gather adds up the gradients of n rows by feature, block by block and then in
// the order of the blocks.
func (k *Stationary) gather(grad []float64, n, features int, src *source, row func(r *reader, sum []float64, i int)) {
	sums := make([][]float64, blocks(n))
	eachBlock(n, src.work(), src.reader, func(r *reader, b, lo, hi int) {
		sums[b] = make([]float64, features)
		for i := lo; i < hi; i++ {
			row(r, sums[b], i)
		}
	})
	if len(sums) == 0 {
		return
	}
	for _, s := range sums[1:] {
		simd.Axpy(1, simd.Vector{N: features, Inc: 1, Data: s}, simd.Vector{N: features, Inc: 1, Data: sums[0]})
	}
	k.lengths.fold(grad, sums[0])
}
