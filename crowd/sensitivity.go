package crowd

import (
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/simd"
)

// sensitivity is how the bound changes with the prior, q fixed, which is all
// there is where q is at its best. In weight space the prior of the weights does
// not depend on the kernel, so only what votes see of the columns moves:
// a_rk = φ_r·m_k and s_rk = φ_rᵀC_kφ_r, and the consensus's residual κ_r/σ. With
// their slopes and precisions (see pull)
//
//	∂/∂φ_r = Σ_k slope_rk·m_k − own_rk·C_kφ_r,  ∂/∂κ_r = −own_r0/2σ.
//
// prior is that of the items, of which the engine may see the rows only.
func (e *engine) sensitivity(prior *gp.Prior) gp.Sensitivity {
	l := e.lookAtRows()
	k, d, n := e.columns(), e.prior.Dim(), e.forms.Len()
	phi := e.prior.Features()
	psi := mat.NewDense(n, d, nil)
	for r := range n {
		index, coef := e.forms.Row(r)
		for t, i := range index {
			simd.Axpy(coef[t], simd.Vector{N: d, Data: phi.RawRowView(i), Inc: 1}, simd.Vector{N: d, Data: psi.RawRowView(r), Inc: 1})
		}
	}
	slope := mat.NewDense(n, d, nil)
	for c, q := range e.q {
		through := mat.DenseCopyOf(psi)
		q.WeightCov(through)
		for r := range n {
			row, cov := slope.RawRowView(r), through.RawRowView(r)
			by, own := l.slope[r*k+c], l.own[r*k+c]
			for i, m := range q.Mean {
				row[i] += by*m - own*cov[i]
			}
		}
	}
	s := gp.Sensitivity{Features: mat.NewDense(prior.Len(), d, nil)}
	for r := range n {
		index, coef := e.Votes.rows.Row(r)
		for t, i := range index {
			simd.Axpy(coef[t], simd.Vector{N: d, Data: slope.RawRowView(r), Inc: 1}, simd.Vector{N: d, Data: s.Features.RawRowView(i), Inc: 1})
		}
	}
	if e.residual != nil {
		s.Residuals = make([]float64, n)
		for r := range n {
			s.Residuals[r] = -0.5 * l.own[r*k] / e.scale[0].Mean()
		}
	}
	return s
}
