package crowd

import (
	"math"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
)

// rescale moves along the direction that votes do not see, w_c → w_c/√x and
// v_c → √x·v_c, to where the divergences are least, with q(s_c) the best for it.
// Coordinate steps alone creep along it. With A = Σ_u E[w²], about what features
// lead one to expect, and B = E|e_c|² that is the largest
//
//	−A/2x − (U−d)/2·log x − (α₀+d/2)·log(β₀ + xB/2).
func (e *engine) rescale() {
	lead, square := make([]float64, e.c), make([]float64, e.c) // and Σ_u E[w²], by factor
	for u := range e.Voters() {
		w, cov := e.weights(u)
		e.expectWeights(u, lead)
		for c, x := range lead {
			off := w[c] - x
			square[c] += off*off + cov[c*len(w)+c]
		}
	}
	for k := 1; k < e.columns(); k++ {
		a := square[k-1]
		if l := e.leaning; l != nil {
			for f := range l.groups {
				b := l.mean.At(f, k-1)
				a += l.relevanceOf(f).Mean() * b * b
			}
		}
		q, prior := e.q[k], e.scalePrior[k]
		b, d, n := num.Dot(q.Mean, q.Mean)+e.trace[k], float64(len(q.Mean)), float64(e.Voters())
		height := func(x float64) float64 {
			return -0.5*a/x - 0.5*(n-d)*math.Log(x) - (prior.Shape+0.5*d)*math.Log(prior.Rate+0.5*x*b)
		}
		slope := func(x float64) float64 {
			return a - (n-d)*x - (2*prior.Shape+d)*x*0.5*b*x/(prior.Rate+0.5*b*x)
		}
		lo, hi := -10.0, 10.0 // of log x
		for range 80 {
			if mid := (lo + hi) / 2; slope(math.Exp(mid)) > 0 {
				lo = mid
			} else {
				hi = mid
			}
		}
		x := math.Exp((lo + hi) / 2)
		if !(height(x) > height(1)) || math.Abs(x-1) < 1e-12 {
			continue
		}
		e.stretch(k, x)
		e.scale[k] = infer.Gamma{Shape: prior.Shape + 0.5*d, Rate: prior.Rate + 0.5*x*b}
		e.seeColumn(k)
	}
}

// stretch multiplies the variance of factor k by x and divides that of its
// weights by it.
func (e *engine) stretch(k int, x float64) {
	c, root := k-1, math.Sqrt(x)
	for u := range e.Voters() {
		w, cov := e.weights(u)
		w[c] /= root
		for j := range w {
			cov[c*len(w)+j] /= root
			cov[j*len(w)+c] /= root
		}
		e.logDet[u] -= math.Log(x)
	}
	if e.leaning != nil {
		for f := range e.leaning.groups {
			e.leaning.mean.Set(f, c, e.leaning.mean.At(f, c)/root)
		}
	}
	e.widen(k, x)
}

// widen multiplies the variance of column k by x.
func (e *engine) widen(k int, x float64) {
	q := e.q[k]
	mean := make([]float64, len(q.Mean))
	for i, m := range q.Mean {
		mean[i] = math.Sqrt(x) * m
	}
	ev := q.Evidence().Clone()
	ev.Mix(1-1/x, 0, gp.NewEvidence(len(mean)))
	e.q[k] = around(e.prior, mean, q.Scale/x, ev)
	e.trace[k] *= x
}
