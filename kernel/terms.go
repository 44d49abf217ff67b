package kernel

import "fmt"

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
