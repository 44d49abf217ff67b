package kernel

import (
	"gonum.org/v1/gonum/mat"
)

type sumKernel struct{ terms }

// Sum returns the sum of kernels.
func Sum(k ...Kernel) Kernel { return &sumKernel{newTerms("sum", k)} }

func (k *sumKernel) With(params []float64) Kernel { return &sumKernel{k.with(params)} }

func (k *sumKernel) MatrixTo(dst *mat.Dense, x, y Points) {
	k.terms[0].MatrixTo(dst, x, y)
	var m mat.Dense
	for _, term := range k.terms[1:] {
		term.MatrixTo(&m, x, y)
		dst.Add(dst, &m)
	}
}

func (k *sumKernel) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	k.split(grad, func(_ int, term Kernel, part []float64) { term.MatrixGrad(part, w, x, y) })
}

func (k *sumKernel) PairsTo(dst []float64, x Points, i, j []int) {
	k.terms[0].PairsTo(dst, x, i, j)
	values := make([]float64, len(dst))
	for _, term := range k.terms[1:] {
		term.PairsTo(values, x, i, j)
		for p, v := range values {
			dst[p] += v
		}
	}
}

func (k *sumKernel) PairsGrad(grad, w []float64, x Points, i, j []int) {
	k.split(grad, func(_ int, term Kernel, part []float64) { term.PairsGrad(part, w, x, i, j) })
}
