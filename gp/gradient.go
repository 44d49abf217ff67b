package gp

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Sensitivity says how an objective changes with the prior: its derivatives in
// the features of the items, Φ (n×d), and in the rows' residuals (nil where
// there are none), or in the variances of the items' own parts. It depends on Φ
// only through ΦΦᵀ.
type Sensitivity struct {
	Features  *mat.Dense
	Residuals []float64
	Own       []float64
}

// LogScale returns the derivative in log(1/s) of an objective with the given
// sensitivity: the prior covariances ΦΦᵀ and the residuals all grow together.
// residuals are those of the rows.
func (p *Prior) LogScale(s Sensitivity, residuals []float64) float64 {
	// F depends on Φ through Q = ΦΦᵀ, ∂F/∂Φ = 2MΦ, and dQ = Q: tr(MQ).
	var g float64
	if p.d > 0 {
		phi := p.Features()
		for i := range p.n {
			g += 0.5 * simd.Dot(simd.Vec(s.Features.RawRowView(i)), simd.Vec(phi.RawRowView(i)))
		}
	}
	for r, k := range residuals {
		g += s.Residuals[r] * k
	}
	if own := p.OwnVariances(); own != nil {
		for i, k := range own[:p.n-p.flat] {
			g += s.Own[i] * k
		}
	}
	return g
}

// covarianceGrad returns ∂F/∂K for a prior without residual: with Φ = L and
// ∂F/∂Φ = 2MΦ, M = ½(∂F/∂Φ)L⁻¹.
func (p *Prior) covarianceGrad(s Sensitivity) *mat.Dense {
	m := mat.DenseCopyOf(s.Features)
	simd.Trsm(blas.Right, blas.NoTrans, 0.5, p.chol.L().RawTriangular(), m.RawMatrix())
	return m
}

// KernelGrad returns the derivatives in the kernel's log-parameters. On
// inducing points this is the whole gradient, through K_mm, K_nm and K_nn:
// CROWD (39) alone is right only where the inducing points are the items.
func (p *Prior) KernelGrad(s Sensitivity, rows *Rows) []float64 {
	grad := make([]float64, len(p.kernel.Params()))
	if p.owned { // own parts are the residuals of the items themselves
		rows, s.Residuals = Units(p.n), s.Own
	} else if !p.sparse {
		p.kernel.MatrixGrad(grad, p.covarianceGrad(s), p.x, p.x)
		return grad
	}
	phi := p.Features()
	// κ_p = b_pᵀK b_p − |φ_p|²: its second part pulls on the features too.
	g := mat.DenseCopyOf(s.Features)
	v := make([]float64, p.d)
	for r, k := range s.Residuals {
		form(v, phi, rows, r)
		index, coef := rows.Row(r)
		for t, i := range index {
			simd.Axpy(-2*k*coef[t], simd.Vec(v), simd.Vec(g.RawRowView(i)))
		}
	}
	i, j, w, of := p.pairTerms(rows)
	for t := range w {
		w[t] *= s.Residuals[of[t]]
	}
	p.kernel.PairsGrad(grad, w, p.x, i, j)

	// Q = K_nm K_mm⁻¹ K_mn: ∂F/∂K_nm = G L⁻¹ and ∂F/∂K_mm = −½ L⁻ᵀΦᵀG L⁻¹.
	l := p.chol.L().RawTriangular()
	simd.Trsm(blas.Right, blas.NoTrans, 1, l, g.RawMatrix())
	p.kernel.MatrixGrad(grad, g, p.x, p.anchor)
	mm := mat.NewDense(p.d, p.d, nil)
	simd.Gemm(blas.Trans, blas.NoTrans, -0.5, phi.RawMatrix(), g.RawMatrix(), 0, mm.RawMatrix())
	simd.Trsm(blas.Left, blas.Trans, 1, l, mm.RawMatrix())
	p.kernel.MatrixGrad(grad, mm, p.anchor, p.anchor)
	return grad
}
