package gp

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
	"palate/internal/simd"
)

// Inner says how variances of the items' own parts, given the weights, are found:
// the entries of A⁻¹ that forms of votes touch, and log |A|. Means, and all that
// concerns the weights, are exact under all.
type Inner int

const (
	// Bethe takes those of belief propagation: exact where no comparisons close a
	// loop, and near it where loops are long or many. Items' variances are not above
	// the exact ones, nor is −log |A|, since loops only add to them.
	Bethe Inner = iota
	// Apart takes items to be independent given the weights. That is a Gaussian of
	// its own, so a variational bound under it is one.
	Apart
	// Whole takes them as Laplacian.Variances has them: from the inverse of A, or as near
	// to it as many items allow.
	Whole
)

// inner holds the answer: variances of items, covariances of compared pairs.
type inner struct {
	item, pair []float64
	logDet     float64
	common     *Common         // of the components; nil: pairs that were not compared have nothing in common
	walks      *walks          // to such pairs
	root       simd.Triangular // R⁻¹ with RᵀR = A, where A was inverted
	near       bool            // belief propagation was found to do
}

func (how Inner) of(l *Laplacian, near bool) inner {
	n := len(l.diag)
	if how == Whole && n <= wholeItems { // no messages are needed
		return l.marginals(nil, nil, false)
	}
	out := inner{item: make([]float64, n), pair: make([]float64, len(l.pairs))}
	if how == Apart {
		for i, d := range l.diag {
			out.item[i] = 1 / d
			out.logDet += math.Log(d)
		}
		return out
	}
	m := l.NewMessages()
	l.Propagate(m, 1e-13)
	if how == Whole {
		c := l.NewCommon()
		c.Find(l, m)
		if out = l.marginals(m, c, near); out.root.N == 0 {
			out.logDet = l.LogDet(m, c)
		}
		return out
	}
	out.logDet = l.logDet(m)
	for i, x := range m.Total {
		out.item[i] = 1 / x
	}
	for k := range l.pairs {
		det, _, _ := l.pair(m, k)
		out.pair[k] = l.tau[k] / det
	}
	return out
}

// invert finds all from the inverse.
func (in *inner) invert(l *Laplacian) {
	in.root, in.logDet = l.inverseRoot()
	num.Parallel(len(in.item), rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			in.item[i] = entry(in.root, i, i)
		}
	})
	num.Parallel(len(in.pair), rowGrain, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			in.pair[k] = entry(in.root, int(l.pairs[k][0]), int(l.pairs[k][1]))
		}
	})
}

// inverseRoot returns R⁻¹, upper, with RᵀR = A and so A⁻¹ = R⁻¹R⁻ᵀ, and log |A|.
func (l *Laplacian) inverseRoot() (root simd.Triangular, logDet float64) {
	n := len(l.diag)
	a := simd.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: make([]float64, n*n)}
	for i, d := range l.diag {
		a.Data[i*n+i] = d
	}
	for k, p := range l.pairs {
		a.Data[int(p[0])*n+int(p[1])] = -l.tau[k]
	}
	root, ok := num.FactorUpper(a)
	if !ok {
		panic(fmt.Sprintf("gp: a diagonally dominant precision of %d items is not positive definite", n))
	}
	for i := range n {
		logDet += 2 * math.Log(a.Data[i*n+i])
	}
	if !simd.Trtri(root) {
		panic("gp: a factor with a zero on its diagonal")
	}
	return root, logDet
}

// entry returns an entry of A⁻¹ given its root.
func entry(root simd.Triangular, i, j int) float64 {
	from := max(i, j)
	x, y := root.Data[i*root.Stride+from:i*root.Stride+root.N], root.Data[j*root.Stride+from:j*root.Stride+root.N]
	return simd.Dot(simd.Vec(x), simd.Vec(y))
}
