package kernel

import "gonum.org/v1/gonum/mat"

type productKernel struct{ terms }

// Product returns the product of kernels.
func Product(k ...Kernel) Kernel { return &productKernel{newTerms("product", k)} }

func (k *productKernel) With(params []float64) Kernel { return &productKernel{k.with(params)} }

func (k *productKernel) MatrixTo(dst *mat.Dense, x, y Points) {
	k.terms[0].MatrixTo(dst, x, y)
	var m mat.Dense
	for _, term := range k.terms[1:] {
		term.MatrixTo(&m, x, y)
		dst.MulElem(dst, &m)
	}
}

// MatrixGrad gives each term the weights times the product of the others.
func (k *productKernel) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	values := make([]mat.Dense, len(k.terms))
	for i, term := range k.terms {
		term.MatrixTo(&values[i], x, y)
	}
	k.split(grad, func(i int, term Kernel, part []float64) {
		if len(part) == 0 {
			return
		}
		rest := mat.DenseCopyOf(w)
		for other := range values {
			if other != i {
				rest.MulElem(rest, &values[other])
			}
		}
		term.MatrixGrad(part, rest, x, y)
	})
}

func (k *productKernel) PairsTo(dst []float64, x Points, i, j []int) {
	k.terms[0].PairsTo(dst, x, i, j)
	values := make([]float64, len(dst))
	for _, term := range k.terms[1:] {
		term.PairsTo(values, x, i, j)
		for p, v := range values {
			dst[p] *= v
		}
	}
}

func (k *productKernel) PairsGrad(grad, w []float64, x Points, i, j []int) {
	values := make([][]float64, len(k.terms))
	for t, term := range k.terms {
		values[t] = make([]float64, len(w))
		term.PairsTo(values[t], x, i, j)
	}
	k.split(grad, func(t int, term Kernel, part []float64) {
		if len(part) == 0 {
			return
		}
		rest := append([]float64(nil), w...)
		for other := range values {
			if other == t {
				continue
			}
			for p, v := range values[other] {
				rest[p] *= v
			}
		}
		term.PairsGrad(part, rest, x, i, j)
	})
}
