package crowd

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/likelihood"
	"palate/population"
)

// propagate returns a fit towards the top of the bound, and EP from there, to the end.
func propagate(t *testing.T, prior *gp.Prior, tallies []palate.Tally, o Options) (*Learnt, *propagation) {
	t.Helper()
	return propagateVotes(t, prior, mustVotes(t, prior.Len(), tallies), o)
}

func propagateVotes(t *testing.T, prior *gp.Prior, v *Votes, o Options) (*Learnt, *propagation) {
	t.Helper()
	o.Factors, o.MaxSweeps, o.Tolerance = 2, 15, -1
	e := newEngine(v, prior, &o).blank()
	l := &Learnt{engine: e, Threshold: 0.3}
	l.setThreshold(0.3)
	l.begin()
	if err := l.learn(t.Context(), &o); err != nil {
		t.Fatal(err)
	}
	return l, mustPropagation(t, e)
}

func mustPropagation(t *testing.T, e *engine) *propagation {
	t.Helper()
	e.propagated = true
	g := newPropagation(context.Background(), e, 0, 0)
	g.voters = mustEngine(t, e, population.Settings{Tolerance: 1e-12, MaxSweeps: 2000})
	return g
}

func mustEngine(t *testing.T, e *engine, s population.Settings) *population.Engine {
	t.Helper()
	s.Likelihood = e.likelihood
	v, err := population.NewEngine(e.people, s)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// mustAll is all, which must converge.
func mustAll(t *testing.T, g *propagation, x float64, note bool) (evidence, slope float64) {
	t.Helper()
	evidence, slope, err := g.all(x, note)
	if err != nil {
		t.Fatal(err)
	}
	if g.stats.Unconverged > 0 || g.stats.Skipped > 0 {
		t.Fatalf("inference did not end well: %+v", g.stats)
	}
	return evidence, slope
}

// under makes up votes for a few ways in which voters may be seen.
func under(t *testing.T, law func(t *testing.T, prior *gp.Prior, tallies []palate.Tally, o Options)) {
	const items = 8
	for _, w := range []struct {
		name    string
		options Options
		each    int
	}{
		{"factors", Options{NoOwn: true}, 9},
		{"factors, one vote each", Options{NoOwn: true}, 1},
		{"own", Options{}, 9},
		{"own, few votes", Options{}, 3},
		{"own, many votes", Options{}, 40},
		{"with features", Options{About: &About{}}, 9},
	} {
		for kind, prior := range priors(t, items) {
			t.Run(w.name+"/"+kind, func(t *testing.T) {
				tallies, o := draw(3, 12, items, w.each, true), w.options
				if o.About != nil {
					tallies, o.About = drawLed(3, 12, items, w.each, 2)
				}
				tallies[0].Weight, tallies[1].Weight = 2.5, 0.3
				law(t, prior, tallies, o)
			})
		}
	}
}

// noisy is a likelihood of z + by + noise.
type noisy struct {
	of        likelihood.Scalar
	by, noise float64
}

func (n noisy) LogProb(z float64) (lp, d1, d2 float64) {
	d := n.Tilt(z, 0)
	return d.LogZ, d.D1, d.D2
}

func (n noisy) Tilt(m, v float64) likelihood.Tilted {
	t := likelihood.Tilt(n.of, m+n.by, v+n.noise)
	t.Shrink -= t.D2 * n.noise
	return t
}

// Voters inferred as a population f_u ~ N(t + Vw₀, VVᵀ + I/s_g) have the evidence and
// the posterior that EP of package infer finds for their weights and own tastes:
// z = t + Σwv + g with w ~ N(w₀, I) and g ~ N(0, I/s_g).
func TestVotersAreAPopulation(t *testing.T) {
	under(t, func(t *testing.T, prior *gp.Prior, tallies []palate.Tally, o Options) {
		l, g := propagate(t, prior, tallies, o)
		got, _ := mustAll(t, g, 1, true)
		var want float64
		k := l.columns()
		for u := range l.Voters() {
			w, cov := l.weights(u)
			d := len(w)
			lead := make([]float64, l.c)
			l.expectWeights(u, lead)
			var rows gp.Rows
			p := &infer.Problem{Prior: gp.White(d), Rows: &rows}
			for q := l.start[u]; q < l.start[u+1]; q++ {
				a := l.a[int(l.row[q])*k:][:k]
				index, coef, at := []int{}, []float64{}, a[0]
				for c, x := range a[1:] {
					index, coef = append(index, c), append(coef, x)
					at += x * lead[c]
				}
				i, j := l.places(q)
				if i >= 0 {
					index, coef = append(index, i, j), append(coef, math.Sqrt(l.ownVariance()), -math.Sqrt(l.ownVariance()))
				}
				rows.Append(index, coef)
				p.Likelihood = append(p.Likelihood, noisy{l.lik[l.kind[q]], at, l.s[int(l.row[q])*k]})
				p.Count = append(p.Count, l.count[q])
			}
			r, err := infer.Run(t.Context(), p, &infer.Settings{Tolerance: 1e-12, MaxSweeps: 5000})
			if err != nil || r.Status != infer.Converged {
				t.Fatal(err, r.Status)
			}
			want += r.Objective
			unit := mat.NewDense(d, d, nil)
			for i := range d {
				unit.Set(i, i, 1)
			}
			r.Posterior.WeightCov(unit)
			scale := func(i int) float64 {
				if i < l.c {
					return 1
				}
				return math.Sqrt(l.ownVariance())
			}
			for i, x := range w {
				mean := scale(i) * r.Posterior.Mean[i]
				if i < l.c {
					mean += lead[i]
				}
				if math.Abs(x-mean) > 1e-8 {
					t.Errorf("voter %d: mean %d is %.12g, want %.12g", u, i, x, mean)
				}
				for j := range w {
					if want := scale(i) * scale(j) * unit.At(i, j); math.Abs(cov[i*d+j]-want) > 1e-8 {
						t.Errorf("voter %d: covariance %d, %d is %.12g, want %.12g", u, i, j, cov[i*d+j], want)
					}
				}
			}
		}
		if math.Abs(got-want) > 1e-8*math.Abs(want) {
			t.Errorf("log evidence %.12g, want %.12g", got, want)
		}
	})
}

// What a propagation says of scale and means are the derivatives of its evidence.
func TestPropagationSlopes(t *testing.T) {
	under(t, func(t *testing.T, prior *gp.Prior, tallies []palate.Tally, o Options) {
		l, g := propagate(t, prior, tallies, o)
		propagationSlopes(t, l, g)
	})
}

func propagationSlopes(t *testing.T, l *Learnt, g *propagation) {
	t.Helper()
	const h = 1e-4
	up, _ := mustAll(t, g, math.Exp(h), false)
	down, _ := mustAll(t, g, math.Exp(-h), false)
	_, slope := mustAll(t, g, 1, true)
	if want := (up - down) / (2 * h); math.Abs(slope-want) > 1e-5*(1+math.Abs(want)) {
		t.Errorf("slope %g in the scale, %g by differences", slope, want)
	}
	grad := mat.NewDense(l.prior.Dim(), l.columns(), nil)
	l.gather(grad, l.prior.Features(), l.lookAtRows().slope)
	for c, q := range l.q {
		for _, i := range []int{0, 3} {
			at := func(x float64) float64 {
				mean := slices.Clone(q.Mean)
				mean[i] += x
				l.setMean(c, mean)
				e, _ := mustAll(t, g, 1, false)
				return e
			}
			want := (at(h) - at(-h)) / (2 * h)
			l.setMean(c, q.Mean)
			if got := grad.At(i, c); math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("slope %g in weight %d of column %d, %g by differences", got, i, c, want)
			}
		}
	}
}

// A single vote has its exact evidence and posterior: z is Gaussian before it.
func TestPropagationOfOneVote(t *testing.T) {
	v := mustVotes(t, 4, []palate.Tally{{User: 0, A: 0, B: 1, Weight: 1}})
	e := newEngine(v, priors(t, 4)["white"], &Options{Factors: 1}).blank()
	e.setThreshold(0)
	e.q[1] = e.q[1].WithMean([]float64{1, -0.5, 0, 0})
	e.seeColumn(1)
	e.evaluate()
	got, _ := mustAll(t, mustPropagation(t, e), 1, true)
	variance := 1.5*1.5 + 2/e.ownScale.Mean()
	total := 1 + variance + e.s[0]
	if want := math.Log(0.5); math.Abs(got-want) > 1e-9 {
		t.Errorf("log evidence %.12f, want %.12f", got, want)
	}
	w, cov := e.weights(0)
	// z ~ N(0, variance) times Φ(z/√(1+s)): mean √(2/π)·variance/√total.
	mean := 1.5*w[0] + w[1] - w[2]
	if want := math.Sqrt(2/math.Pi) * variance / math.Sqrt(total); math.Abs(mean-want) > 1e-9 {
		t.Errorf("mean %.12f, want %.12f", mean, want)
	}
	_, left, _ := e.marginal(0, w, cov, make([]float64, 3))
	if want := variance - 2/math.Pi*variance*variance/total; math.Abs(left-e.s[0]-want) > 1e-9 {
		t.Errorf("variance %.12f, want %.12f", left-e.s[0], want)
	}
}

// Refining does not touch the bound, and predicts votes better than the bound's
// narrow voters where votes are consistent.
func TestRefinedVotersPredictBetter(t *testing.T) {
	const items, voters = 10, 40
	var train, test []palate.Tally
	for k, x := range draw(7, voters, items, 24, false) {
		if k%4 == 0 {
			test = append(test, x)
		} else {
			train = append(train, x)
		}
	}
	v := mustVotes(t, items, train)
	prior := priors(t, items)["white"]
	loss := func(l *Learnt) (sum float64) {
		for _, x := range test {
			mean, variance := l.Form(x.User, pair(x.A, x.B))
			sum -= math.Log(0.5 * math.Erfc(-mean/math.Sqrt(2*(1+variance))))
		}
		return sum / float64(len(test))
	}
	bound, refined := mustFit(t, v, prior, &Options{ByBound: true, Tolerance: 3e-5}), mustFit(t, v, prior, &Options{Tolerance: 3e-5})
	if !slices.Equal(bound.Trace, refined.Trace) {
		t.Error("refining changes the trace of the bound")
	}
	if a, b := loss(refined), loss(bound); !(a < b) {
		t.Errorf("loss %.4f refined, %.4f by the bound", a, b)
	}
}
