package infer

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// fewPoints is a prior of 30 items seen through six inducing points.
func fewPoints(t testing.TB) *gp.Prior {
	t.Helper()
	x, z := mat.NewDense(30, 1, nil), mat.NewDense(6, 1, nil)
	for i := range 30 {
		x.Set(i, 0, float64(i)/5)
	}
	for i := range 6 {
		z.Set(i, 0, float64(i)+0.5)
	}
	p, err := gp.Inducing(kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.5}), kernel.Dense(x), kernel.Dense(z))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plainLinearised is CROWD (9), (15), (47) and (48), corrected, step by step on the weights: Q is computed once.
func plainLinearised(p *Problem) (mean []float64, scale float64) {
	d, n := p.Prior.Dim(), p.Rows.Len()
	var psi mat.Dense
	b := mat.NewDense(n, p.Prior.Len(), nil)
	for r := range n {
		index, coef := p.Rows.Row(r)
		for k, i := range index {
			b.Set(r, i, coef[k])
		}
	}
	psi.Mul(b, p.Prior.Features())
	residuals := p.Prior.Residuals(p.Rows)
	noise := make([]float64, n)
	for r := range noise {
		v := mat.Dot(psi.RowView(r), psi.RowView(r))
		if residuals != nil {
			v += residuals[r]
		}
		noise[r] = p.Likelihood[r].(likelihood.Observer).ObservationVar(v / p.ScalePrior.Mean())
	}
	m := mat.NewVecDense(d, nil)
	scale = p.ScalePrior.Mean()
	for range 2000 {
		precision, pull := mat.NewDense(d, d, nil), mat.NewVecDense(d, nil)
		for i := range d {
			precision.Set(i, i, scale)
		}
		for r := range n {
			row := psi.RowView(r)
			z := mat.Dot(row, m)
			g, slope, target := p.Likelihood[r].(likelihood.Observer).Observe(z)
			precision.RankOne(precision, slope*slope/noise[r], row, row)
			pull.AddScaledVec(pull, slope*(target-g+slope*z)/noise[r], row)
		}
		var c mat.Dense
		if err := c.Inverse(precision); err != nil {
			panic(err)
		}
		m.MulVec(&c, pull)
		scale = (p.ScalePrior.Shape + 0.5*float64(d)) / (p.ScalePrior.Rate + 0.5*(mat.Trace(&c)+mat.Dot(m, m)))
	}
	return m.RawVector().Data, scale
}

// TestLinearisedNoiseIsThePriors holds Q to be what the prior says, whatever E[s] is on the way: the fixed point is that
// of the equations as they stand, by both schedules that learn s, and from wherever s starts.
func TestLinearisedNoiseIsThePriors(t *testing.T) {
	for name, prior := range map[string]*gp.Prior{"dense": correlated(t, 8, 21), "inducing": fewPoints(t)} {
		p := votes(prior, 0.2, 60, likelihood.Probit{}, 22)
		p.ScalePrior = &Gamma{Shape: 2, Rate: 2}
		mean, scale := plainLinearised(p)
		for _, start := range []float64{0.1, 1, 7} {
			p.Scale = start
			for _, s := range []struct {
				name     string
				schedule Schedule
				tol      float64
			}{{"batch", Batch{}, 1e-6}, {"stochastic", Stochastic{Batch: p.Rows.Len(), Steps: 3000, Forget: 0.6}, 1e-3}} {
				r := run(t, p, Settings{Rule: Linearised{}, Schedule: s.schedule, Tolerance: 1e-12})
				near(t, name+", "+s.name+": E[s]", r.Scale.Mean(), scale, s.tol)
				for i, m := range r.Posterior.Mean {
					if math.Abs(m-mean[i]) > s.tol {
						t.Errorf("%s, %s from %v: weight %d is %v, want %v", name, s.name, start, i, m, mean[i])
					}
				}
			}
		}
	}
}
