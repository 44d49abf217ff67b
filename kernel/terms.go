package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// terms are the kernels of a sum or product. Their parameters follow one another.
type terms []Kernel

func newTerms(what string, k []Kernel) terms {
	if len(k) == 0 {
		panic("kernel: " + what + " of no kernels")
	}
	return append(terms(nil), k...)
}

func (t terms) ParamNames() []string {
	var names []string
	for i, k := range t {
		for _, name := range k.ParamNames() {
			names = append(names, fmt.Sprintf("%d.%s", i, name))
		}
	}
	return names
}

func (t terms) Params() []float64 {
	var params []float64
	for _, k := range t {
		params = append(params, k.Params()...)
	}
	return params
}

// split calls f with every kernel and its part of params.
func (t terms) split(params []float64, f func(i int, k Kernel, part []float64)) {
	checkParams(params, len(t.Params()))
	at := 0
	for i, k := range t {
		n := len(k.Params())
		f(i, k, params[at:at+n])
		at += n
	}
}

func (t terms) with(params []float64) terms {
	out := make(terms, len(t))
	t.split(params, func(i int, k Kernel, part []float64) { out[i] = k.With(part) })
	return out
}

// matrixTo joins the matrices of the terms.
func (t terms) matrixTo(dst *mat.Dense, x, y Points, join func(dst *mat.Dense, a, b mat.Matrix)) {
	t[0].MatrixTo(dst, x, y)
	var m mat.Dense
	for _, term := range t[1:] {
		term.MatrixTo(&m, x, y)
		join(dst, dst, &m)
	}
}

// pairsTo joins the values of the terms.
func (t terms) pairsTo(dst []float64, x Points, i, j []int, join func(dst, v []float64)) {
	t[0].PairsTo(dst, x, i, j)
	values := make([]float64, len(dst))
	for _, term := range t[1:] {
		term.PairsTo(values, x, i, j)
		join(dst, values)
	}
}

func addValues(dst, v []float64) {
	for p, x := range v {
		dst[p] += x
	}
}

func multiplyValues(dst, v []float64) {
	for p, x := range v {
		dst[p] *= x
	}
}

type sumKernel struct{ terms }

// Sum returns the sum of kernels.
func Sum(k ...Kernel) Kernel { return &sumKernel{newTerms("sum", k)} }

func (k *sumKernel) With(params []float64) Kernel { return &sumKernel{k.with(params)} }

func (k *sumKernel) MatrixTo(dst *mat.Dense, x, y Points) { k.matrixTo(dst, x, y, (*mat.Dense).Add) }

func (k *sumKernel) PairsTo(dst []float64, x Points, i, j []int) {
	k.pairsTo(dst, x, i, j, addValues)
}

func (k *sumKernel) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	k.split(grad, func(_ int, term Kernel, part []float64) { term.MatrixGrad(part, w, x, y) })
}

func (k *sumKernel) PairsGrad(grad, w []float64, x Points, i, j []int) {
	k.split(grad, func(_ int, term Kernel, part []float64) { term.PairsGrad(part, w, x, i, j) })
}

type productKernel struct{ terms }

// Product returns the product of kernels.
func Product(k ...Kernel) Kernel { return &productKernel{newTerms("product", k)} }

func (k *productKernel) With(params []float64) Kernel { return &productKernel{k.with(params)} }

func (k *productKernel) MatrixTo(dst *mat.Dense, x, y Points) {
	k.matrixTo(dst, x, y, (*mat.Dense).MulElem)
}

func (k *productKernel) PairsTo(dst []float64, x Points, i, j []int) {
	k.pairsTo(dst, x, i, j, multiplyValues)
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
			if other != t {
				multiplyValues(rest, values[other])
			}
		}
		term.PairsGrad(part, rest, x, i, j)
	})
}
