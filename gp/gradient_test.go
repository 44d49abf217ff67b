package gp

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/kernel"
)

// The gradients of F = tr(M·ΦΦᵀ) + Σ ρ_r κ_r + Σ o_i λ_i in the kernel's
// log-parameters, the scale and the covariance are those of its differences, in every
// prior that has a kernel.
func TestGradients(t *testing.T) {
	const n = 7
	rng := rand.New(rand.NewPCG(3, 3))
	normals := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	m := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			m.SetSym(i, j, rng.NormFloat64())
		}
	}
	rows, _, _ := someVotes(n, 12)
	rho, own := normals(rows.Len()), normals(n)
	x, z := points(n, 2, 1), points(4, 2, 2).WithIDs([]int{-1, -2, -3, -4})
	k := kernel.Sum(kernel.Scale(0.7, kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.3, 0.8})), kernel.Scale(0.2, kernel.Identity{}))
	for name, prior := range map[string]func(kernel.Kernel) (*Prior, error){
		"dense":    func(k kernel.Kernel) (*Prior, error) { return Dense(k, x) },
		"inducing": func(k kernel.Kernel) (*Prior, error) { return Inducing(k, x, z) },
		"own": func(k kernel.Kernel) (*Prior, error) {
			p, err := Inducing(k, x, z)
			if err != nil {
				return nil, err
			}
			return p.Own(), nil
		},
	} {
		// look returns F and its derivatives in what the prior is made of.
		look := func(theta []float64) (*Prior, float64, Sensitivity) {
			p, err := prior(k.With(theta))
			if err != nil {
				t.Fatal(err)
			}
			var q, g mat.Dense
			q.Mul(p.Features(), p.Features().T())
			q.Mul(m, &q)
			f := mat.Trace(&q)
			g.Mul(m, p.Features())
			g.Scale(2, &g)
			s := Sensitivity{Features: &g}
			if kappa := p.Residuals(rows); kappa != nil {
				s.Residuals = rho
				for r, x := range kappa {
					f += rho[r] * x
				}
			}
			if p.Owned() {
				s.Own = own
				for i, x := range p.OwnVariances() {
					f += own[i] * x
				}
			}
			return p, f, s
		}
		theta := k.Params()
		p, f, s := look(theta)
		for j, got := range p.KernelGrad(s, rows) {
			const h = 1e-5
			at := func(d float64) float64 {
				moved := slices.Clone(theta)
				moved[j] += d
				_, f, _ := look(moved)
				return f
			}
			near(t, name+": gradient in "+k.ParamNames()[j], got, (at(h)-at(-h))/(2*h), 1e-7)
		}
		near(t, name+": gradient in the log scale", p.LogScale(s, p.Residuals(rows)), f, 1e-10) // F is linear in it
		if name != "dense" {
			continue
		}
		grad := p.covarianceGrad(s)
		for i := range n {
			for j := range n {
				near(t, name+": gradient in the covariance", grad.At(i, j), m.At(i, j), 1e-9)
			}
		}
	}
}
