package infer

import (
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/simd"
	"palate/likelihood"
)

// Sensitivity returns the derivatives of the objective in the prior, exact at
// convergence of EP, VI and Jaakkola, where the objective is stationary in the
// sites. With α_p = ν_p − τ_p m_p the derivative in the features of a form is
// α_p·m − τ_p·Cφ_p: the identity dF = ½tr[(ααᵀ − W)dS] in weight space (COLLAB,
// corrected); with own parts Cφ_p is the covariance of weights and form. It panics after a rule or schedule that has no such objective;
// see HasGradient.
func (r *Result) Sensitivity() gp.Sensitivity {
	if !r.HasGradient() {
		panic("infer: no gradient of this objective")
	}
	p, q := r.problem, r.Posterior
	n, d := p.Prior.Len(), p.Prior.Dim()
	pull := make([]float64, n) // Bᵀα
	if d == 0 {
		mean := q.Utilities()
		for k, s := range r.Sites {
			p.Rows.Scatter(k, p.count(k)*(s.Nu-s.Tau*p.Rows.Dot(k, mean)), pull)
		}
		return gp.Sensitivity{Own: q.OwnGrad(pull)}
	}
	grad := mat.NewDense(n, d, nil)
	reach := mat.DenseCopyOf(q.Reach())
	q.WeightCov(reach) // ΦC
	mean := q.Utilities()
	if r.effects != nil {
		return r.effects.sensitivity(r, reach)
	}
	v := make([]float64, d)
	vv := simd.Vector{N: d, Data: v, Inc: 1}
	for k, s := range r.Sites {
		c := p.count(k)
		p.Rows.Scatter(k, c*(s.Nu-s.Tau*p.Rows.Dot(k, mean)), pull)
		index, coef := p.Rows.Row(k)
		clear(v)
		for t, i := range index {
			simd.Axpy(coef[t], simd.Vector{N: d, Data: reach.RawRowView(i), Inc: 1}, vv)
		}
		for t, i := range index {
			simd.Axpy(-c*s.Tau*coef[t], vv, simd.Vector{N: d, Data: grad.RawRowView(i), Inc: 1})
		}
	}
	m := simd.Vector{N: d, Data: q.Mean, Inc: 1}
	for i := range n {
		simd.Axpy(pull[i], m, simd.Vector{N: d, Data: grad.RawRowView(i), Inc: 1})
	}
	s := gp.Sensitivity{Features: grad, Own: q.OwnGrad(pull)}
	if p.Prior.Sparse() {
		s.Residuals = make([]float64, len(r.updates))
		for k, u := range r.updates {
			s.Residuals[k] = p.count(k) * u.TermResidual / q.Scale
		}
	}
	return s
}

// HasGradient reports whether Sensitivity can be asked for.
func (r *Result) HasGradient() bool {
	_, linearised := r.rule.(Linearised) // does not end where its bound is stationary
	return r.updates != nil && r.Kind != LaplaceEvidence && !linearised
}

// Forms returns what the rule saw of every row, not to be modified: with EP its cavity.
func (r *Result) Forms() []Form { return r.forms }

// Terms returns the likelihood's part of the objective, were the likelihood of
// row r instead l(r), at the marginals of this result. At convergence its
// derivative in a parameter of the likelihood is that of the objective.
func (r *Result) Terms(l func(row int) likelihood.Scalar) float64 {
	var t float64
	for k, f := range r.forms {
		t += r.problem.count(k) * r.rule.Update(l(k), f).Term
	}
	return t
}
