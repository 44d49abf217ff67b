package crowd

import (
	"context"
	"math"
	"slices"
	"testing"

	"palate"
)

// propagate returns a fit towards the top of the bound, and EP from there.
func propagate(t *testing.T, o *Options) (*Learnt, *propagation) {
	t.Helper()
	const items = 8
	tallies := draw(3, 12, items, 9, true)
	if o.About != nil {
		tallies, o.About = drawLed(3, 12, items, 9, 2)
	}
	o.Factors, o.MaxSweeps, o.Tolerance = 2, 15, -1
	e := newEngine(NewVotes(items, tallies), priors(t, items)["inducing"], o).blank()
	l := &Learnt{engine: e, Threshold: 0.3}
	l.setThreshold(0.3)
	l.begin()
	l.learn(t.Context(), o)
	return l, newPropagation(context.Background(), e)
}

// settled is the evidence where sites have long stopped moving.
func settled(g *propagation, x float64, note bool) (evidence, slope float64) {
	for range 10 {
		evidence, slope = g.all(x, false)
	}
	if note {
		evidence, slope = g.all(x, true)
	}
	return evidence, slope
}

// What a propagation says of scale and means are the derivatives of its evidence.
func TestPropagationSlopes(t *testing.T) {
	for name, o := range map[string]*Options{
		"factors":       {NoOwn: true},
		"own":           {},
		"with features": {About: &About{}},
	} {
		l, g := propagate(t, o)
		const h = 1e-3
		up, _ := settled(g, math.Exp(h), false)
		down, _ := settled(g, math.Exp(-h), false)
		_, slope := settled(g, 1, true)
		if want := (up - down) / (2 * h); math.Abs(slope-want) > 1e-3*(1+math.Abs(want)) {
			t.Errorf("%s: slope %g in the scale, %g by differences", name, slope, want)
		}
		look := l.lookAtRows()
		k := l.columns()
		for c := range k {
			for _, r := range []int{0, 3} {
				at := &l.a[r*k+c]
				was := *at
				*at = was + h
				up, _ := settled(g, 1, false)
				*at = was - h
				down, _ := settled(g, 1, false)
				*at = was
				if got, want := look.slope[r*k+c], (up-down)/(2*h); math.Abs(got-want) > 1e-3*(1+math.Abs(want)) {
					t.Errorf("%s: slope %g in column %d of row %d, %g by differences", name, got, c, r, want)
				}
			}
		}
	}
}

// A single vote has its exact evidence and posterior: z is Gaussian before it.
func TestPropagationOfOneVote(t *testing.T) {
	v := NewVotes(4, []palate.Tally{{User: 0, A: 0, B: 1, Weight: 1}})
	e := newEngine(v, priors(t, 4)["white"], &Options{Factors: 1}).blank()
	e.setThreshold(0)
	e.q[1] = e.q[1].WithMean([]float64{1, -0.5, 0, 0})
	e.seeColumn(1)
	e.evaluate()
	got, _ := settled(newPropagation(context.Background(), e), 1, true)
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

// Refining does not touch the bound, and foretells votes better than the bound's
// narrow voters where votes are consistent.
func TestRefinedVotersForetellBetter(t *testing.T) {
	const items, voters = 10, 40
	var train, test []palate.Tally
	for k, x := range draw(7, voters, items, 24, false) {
		if k%4 == 0 {
			test = append(test, x)
		} else {
			train = append(train, x)
		}
	}
	v := NewVotes(items, train)
	prior := priors(t, items)["white"]
	loss := func(l *Learnt) (sum float64) {
		for _, x := range test {
			mean, variance := l.Form(x.User, pair(x.A, x.B))
			sum -= math.Log(0.5 * math.Erfc(-mean/math.Sqrt(2*(1+variance))))
		}
		return sum / float64(len(test))
	}
	bound, refined := mustFit(t, v, prior, &Options{ByBound: true}), mustFit(t, v, prior, nil)
	if !slices.Equal(bound.Trace, refined.Trace) {
		t.Error("refining changes the trace of the bound")
	}
	if a, b := loss(refined), loss(bound); !(a < b) {
		t.Errorf("loss %.4f refined, %.4f by the bound", a, b)
	}
}
