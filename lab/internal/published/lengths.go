package published

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// Gradient returns the derivatives of Objective in the log-parameters of the two
// kernels; nil where there is no kernel. Where items and voters are their own
// inducing points they are CROWD (40)–(41); with fewer inducing points there is
// more to it, since what is seen of a point changes too (corrected). They are
// exact where the update has converged, but for the bend of Φ, which the
// linearisation does not see.
func (l *Learnt) Gradient() (items, voters []float64) {
	b := l.see(num.Indices(len(l.Votes)))
	l.linearise(b)
	if l.Items.Kernel != nil {
		items = l.gradient(b, l.items, l.item, b.pairs, b.item, b.voter)
	}
	if l.voters != nil {
		voters = l.gradient(b, l.voters, l.voter[:l.Featured+1], b.units, b.voter, b.item)
	}
	return items, voters
}

func (l *Learnt) gradient(b *batch, prior *gp.Prior, fields []field, v *view, x, c []moments) []float64 {
	n, d := prior.Features().Dims()
	s := gp.Sensitivity{Features: mat.NewDense(n, d, nil)}
	if prior.Sparse() {
		s.Residuals = make([]float64, len(b.votes))
	}
	for k, f := range fields {
		if f, ok := f.(*process); ok {
			f.sensitivity(&s, v, l.sites(b, x[k], c[k]))
		}
	}
	return prior.KernelGrad(s, v.rows)
}

// sensitivity adds that of the sites' terms νx − τx²/2 in expectation: with
// x = φᵀe + r the derivative in φ is ν·E[e] − τ·E[eeᵀ]φ.
func (f *process) sensitivity(s *gp.Sensitivity, v *view, sites []gp.Site) {
	phi := f.prior.Features()
	n, d := phi.Dims()
	reach := mat.DenseCopyOf(phi)
	f.q.WeightCov(reach) // ΦC
	pull, reached := make([]float64, n), make([]float64, d)
	means := f.means(v)
	for k, site := range sites {
		count := v.count[k]
		v.rows.Scatter(k, count*(site.Nu-site.Tau*means[k]), pull)
		index, coef := v.rows.Row(k)
		clear(reached)
		for t, i := range index {
			simd.Axpy(coef[t], simd.Vec(reach.RawRowView(i)), simd.Vec(reached))
		}
		for t, i := range index {
			simd.Axpy(-count*site.Tau*coef[t], simd.Vec(reached), simd.Vec(s.Features.RawRowView(i)))
		}
		if s.Residuals != nil {
			s.Residuals[k] -= 0.5 * count * site.Tau / f.mean()
		}
	}
	for i, p := range pull {
		simd.Axpy(p, simd.Vec(f.q.Mean), simd.Vec(s.Features.RawRowView(i)))
	}
}

// FitLengths is Fit at the length-scales of both kernels at which Objective is
// largest, found by L-BFGS around the whole inference (CROWD §5), beginning with
// those of p. It makes at most rounds fits, 0 standing for 20, and returns the
// best of them.
func FitLengths(ctx context.Context, p *Problem, o *Options, rounds int) (*Learnt, error) {
	rounds = cmp.Or(rounds, 20)
	var best *Learnt
	var failure error
	at := func(x []float64) *Problem {
		q := *p
		for _, s := range []*Space{&q.Items, &q.Voters} {
			if s.Kernel != nil {
				n := len(s.Kernel.Params())
				s.Kernel, x = s.Kernel.With(x[:n]), x[n:]
			}
		}
		return &q
	}
	climb := func(x []float64) (float64, []float64) {
		l, err := Fit(ctx, at(x), o)
		if err != nil {
			failure = err
			return math.Inf(1), make([]float64, len(x))
		}
		if best == nil || l.Objective > best.Objective {
			best = l
		}
		items, voters := l.Gradient()
		g := append(items, voters...)
		for len(g) < len(x) { // no factor has the voters' kernel
			g = append(g, 0)
		}
		for i := range g {
			g[i] = -g[i]
		}
		return -l.Objective, g
	}
	var start []float64
	for _, s := range []Space{p.Items, p.Voters} {
		if s.Kernel != nil {
			start = append(start, s.Kernel.Params()...)
		}
	}
	if len(start) == 0 {
		return Fit(ctx, p, o)
	}
	minimise(ctx, start, rounds, climb)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if best == nil {
		return nil, failure
	}
	return best, nil
}

// minimise goes down f by L-BFGS for at most so many evaluations. What it finds is
// what f has seen: a line search that gives up, as it does where batches make
// the objective rough, is no failure.
func minimise(ctx context.Context, start []float64, rounds int, f func(x []float64) (float64, []float64)) {
	var x, g []float64
	var v float64
	eval := func(at []float64) {
		if x == nil || !slices.Equal(x, at) {
			x = append(x[:0], at...)
			v, g = f(at)
		}
	}
	problem := optimize.Problem{
		Func: func(at []float64) float64 { eval(at); return v },
		Grad: func(dst, at []float64) { eval(at); copy(dst, g) },
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.RuntimeLimit, nil
			}
			return optimize.NotTerminated, nil
		},
	}
	optimize.Minimize(problem, start, &optimize.Settings{FuncEvaluations: rounds}, &optimize.LBFGS{})
}
