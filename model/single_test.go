package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/metric"
)

// dataset builds votes from "winner loser" pairs; "a = b" is a tie.
func dataset(t testing.TB, features *palate.Features, votes ...[3]string) *palate.Dataset {
	t.Helper()
	b := palate.NewBuilder()
	for _, v := range votes {
		vote := palate.Vote{User: -1, Left: b.Item(v[0]), Right: b.Item(v[2]), Weight: 1}
		if v[1] == "=" {
			vote.Outcome = palate.Tie
		}
		if err := b.Add(vote); err != nil {
			t.Fatal(err)
		}
	}
	b.SetItemFeatures(features)
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fit(t testing.TB, d *palate.Dataset, o *Options) *Single {
	t.Helper()
	m, err := FitSingle(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func simulate(t testing.TB, o SimulateOptions) (*palate.Dataset, *Truth) {
	t.Helper()
	d, truth, err := Simulate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d, truth
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

func TestSingleRecovers(t *testing.T) {
	for _, o := range []SimulateOptions{
		{Items: 20, Votes: 3000, Seed: 1},
		{Items: 20, Votes: 3000, Ties: 0.4, Seed: 2},
		{Items: 30, Votes: 3000, Features: 3, Seed: 3},
	} {
		d, truth := simulate(t, o)
		for _, opt := range []Options{{}, {Rule: infer.VI{}}, {Rule: infer.Laplace{}}, {Likelihood: Logit}, {Likelihood: Davidson}} {
			m := fit(t, d, &opt)
			score := make([]float64, d.NumItems())
			for i := range score {
				score[i], _ = m.Utility(-1, i)
			}
			if tau := metric.KendallTauB(score, truth.Consensus); tau < 0.85 {
				t.Errorf("%+v, %+v: τ = %.3f", o, opt, tau)
			}
			if o.Ties > 0 && math.Abs(m.Fit().Threshold-o.Ties) > 0.1 && opt.Rule != (infer.Laplace{}) && opt.Likelihood == Probit {
				t.Errorf("%T: threshold %.3f, drawn with %.3f", opt.Rule, m.Fit().Threshold, o.Ties)
			}
		}
	}
}

// Prefer is a probability of two outcomes, whoever asks.
func TestPreferIsSymmetric(t *testing.T) {
	for _, ties := range []float64{0, 0.3} {
		d, _ := simulate(t, SimulateOptions{Items: 8, Votes: 200, Ties: ties, Seed: 4})
		m := fit(t, d, nil)
		for a := range 8 {
			for b := range 8 {
				if a != b {
					near(t, "sum", m.Prefer(-1, a, b)+m.Prefer(3, b, a), 1, 1e-12)
				}
			}
		}
	}
}

// The corrected CROWD (3): the covariance counts twice.
func TestPreferUsesTheCovariance(t *testing.T) {
	d, _ := simulate(t, SimulateOptions{Items: 6, Votes: 40, Seed: 5})
	m := fit(t, d, nil)
	s, err := m.scales(t.Context())
	if err != nil || len(s.at) < 2 {
		t.Fatalf("%d scales, %v", len(s.at), err)
	}
	var p float64
	for k, q := range s.at { // the scale is integrated out
		f, cov := q.Utilities(), q.Covariance()
		v := cov.At(1, 1) + cov.At(4, 4) - 2*cov.At(1, 4)
		p += s.mass[k] * 0.5 * math.Erfc(-(f[1]-f[4])/math.Sqrt(2*(1+v)))
	}
	near(t, "P", m.Prefer(-1, 1, 4), p, 1e-12)
}

// Weights are counts: a vote of weight 3 is three votes, and a weight need not
// be whole.
func TestWeights(t *testing.T) {
	build := func(weights ...float64) *palate.Dataset {
		b := palate.NewBuilder()
		x, y, z := b.Item("x"), b.Item("y"), b.Item("z")
		for _, w := range weights {
			for _, v := range []palate.Vote{{User: -1, Left: x, Right: y, Weight: w}, {User: -1, Left: y, Right: z, Weight: w, Outcome: palate.Tie}} {
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	o := &Options{Scale: 1, Threshold: 0.3, Tolerance: 1e-10}
	three, ones := fit(t, build(3), o), fit(t, build(1, 1, 1), o)
	near(t, "weight 3", three.Prefer(-1, 0, 1), ones.Prefer(-1, 0, 1), 1e-12)
	low, mid, high := fit(t, build(2), o), fit(t, build(2.5), o), fit(t, build(3), o)
	if p := mid.Prefer(-1, 0, 1); !(low.Prefer(-1, 0, 1) < p && p < high.Prefer(-1, 0, 1)) {
		t.Errorf("weight 2.5 gives %g, 2 %g, 3 %g", p, low.Prefer(-1, 0, 1), high.Prefer(-1, 0, 1))
	}
	half := fit(t, build(0.5), o)
	if p := half.Prefer(-1, 0, 1); !(p > 0.5 && p < fit(t, build(1), o).Prefer(-1, 0, 1)) {
		t.Errorf("weight ½ gives %g", p)
	}
}

// Components without features are kept apart; features bridge them.
func TestComponents(t *testing.T) {
	votes := [][3]string{{"a", ">", "b"}, {"b", ">", "c"}, {"a", ">", "c"}, {"x", ">", "y"}}
	m := fit(t, dataset(t, nil, votes...), nil)
	if len(m.Groups()) != 2 || len(m.Groups()[0]) != 3 {
		t.Fatalf("groups %v", m.Groups())
	}
	if m.Comparable(0, 3) || !m.Comparable(0, 2) {
		t.Error("a and x are comparable, or a and c are not")
	}
	board := boardOf(t, m, -1, nil)
	for _, g := range board.Groups {
		var sum, best float64
		for _, r := range g.Rows {
			sum += r.Score
			best += r.PBest
		}
		near(t, "sum of scores", sum, 0, 1e-9)
		near(t, "sum of P(best)", best, 1, 1e-9)
	}
	if ids := []string{board.Groups[0].Rows[0].ID, board.Groups[1].Rows[0].ID}; !slices.Equal(ids, []string{"a", "x"}) {
		t.Errorf("leaders %v", ids)
	}
	f := &palate.Features{Names: []string{"f"}, Rows: 5, Cols: 1, Data: []float64{2, 1, 0, 2, 1}}
	m = fit(t, dataset(t, f, votes...), nil)
	if len(m.Groups()) != 1 || !m.Comparable(0, 3) {
		t.Error("features do not bridge components")
	}
}

// A new item lands where items like it are.
func TestNewItems(t *testing.T) {
	for _, inducing := range []int{0, 12} {
		const n = 40
		rng := rand.New(rand.NewPCG(7, 7))
		f := &palate.Features{Names: []string{"good", "noise"}, Rows: n, Cols: 2, Data: make([]float64, 2*n)}
		b := palate.NewBuilder()
		for i := range n {
			b.Item(fmt.Sprint(i))
			f.Data[2*i], f.Data[2*i+1] = rng.NormFloat64(), rng.NormFloat64()
		}
		for range 1500 {
			l := rng.IntN(n)
			r := (l + 1 + rng.IntN(n-1)) % n
			v := palate.Vote{User: -1, Left: l, Right: r, Weight: 1}
			if 1.5*(f.Data[2*l]-f.Data[2*r])+rng.NormFloat64() < 0 {
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		b.SetItemFeatures(f)
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := fit(t, d, &Options{Inducing: inducing})
		e, err := m.Extend([]string{"low", "high"}, mat.NewDense(2, 2, []float64{-1.5, 0, 1.5, 0}))
		if err != nil {
			t.Fatal(err)
		}
		if p := e.Prefer(-1, n+1, n); p < 0.9 {
			t.Errorf("inducing %d: P(high beats low) = %.3f", inducing, p)
		}
		for i := range 5 { // old items are where they were
			a, va := m.Utility(-1, i)
			c, vc := e.Utility(-1, i)
			near(t, "utility", c, a, 1e-6)
			near(t, "variance", vc, va, 1e-4)
		}
		board := boardOf(t, e, -1, &BoardOptions{Draws: 500})
		for _, r := range board.Groups[0].Rows {
			if r.ID == "high" && r.Rank > n/3 || r.ID == "low" && r.Rank < 2*n/3 {
				t.Errorf("inducing %d: %s has rank %d", inducing, r.ID, r.Rank)
			}
		}
	}
	d, _ := simulate(t, SimulateOptions{Items: 4, Votes: 20, Seed: 1})
	if _, err := fit(t, d, nil).Extend([]string{"new"}, mat.NewDense(1, 1, nil)); err == nil {
		t.Error("a model without features accepts a new item")
	}
}

// The fit finds the relevant features, and predicts better than the median heuristic for it.
func TestARD(t *testing.T) {
	const n, dim, relevant = 120, 10, 3
	rng := rand.New(rand.NewPCG(11, 11))
	f := &palate.Features{Rows: n, Cols: dim, Data: make([]float64, n*dim)}
	for c := range dim {
		f.Names = append(f.Names, fmt.Sprintf("x%d", c))
	}
	for i := range f.Data {
		f.Data[i] = rng.NormFloat64()
	}
	utility := func(i int) float64 {
		x := f.Data[i*dim:]
		return 2*math.Sin(1.5*x[0]) + 1.5*x[1]*math.Exp(-x[1]*x[1]/2) + 2*math.Cos(x[2])
	}
	b := palate.NewBuilder()
	for i := range n {
		b.Item(fmt.Sprint(i))
	}
	var test [][2]int
	for k := range 4000 {
		l := rng.IntN(n)
		r := (l + 1 + rng.IntN(n-1)) % n
		held := l >= 90 || r >= 90 // pairs with a new item are for the test
		if utility(l)-utility(r)+rng.NormFloat64() < 0 {
			l, r = r, l
		}
		if held {
			test = append(test, [2]int{l, r})
		} else if k%2 == 0 {
			if err := b.Add(palate.Vote{User: -1, Left: l, Right: r, Weight: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.SetItemFeatures(f)
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var loss [3]float64
	for k, o := range []Options{{Features: &FeatureKernel{}}, {Features: &FeatureKernel{}, Lengths: LearntLengths}, {}} {
		m := fit(t, d, &o)
		for _, p := range test {
			loss[k] -= math.Log(m.Prefer(-1, p[0], p[1])) / float64(len(test))
		}
		if k > 0 {
			ell := m.Kernel().Params()[1 : 1+dim]
			t.Logf("log length-scales %.2f", ell)
			for r := range relevant {
				for c := relevant; c < dim; c++ {
					if ell[c] < ell[r]+math.Log(2) {
						t.Errorf("feature %d (ℓ = %.2f) is not clearly less relevant than %d (ℓ = %.2f)", c, math.Exp(ell[c]), r, math.Exp(ell[r]))
					}
				}
			}
		}
	}
	t.Logf("held-out cross-entropy: median heuristic %.4f, ARD %.4f, settled kernel %.4f nats", loss[0], loss[1], loss[2])
	if loss[1] > loss[0]-0.02 || loss[2] > loss[1] {
		t.Error("ARD is not better than the median heuristic, or the settled kernel not than ARD")
	}
}

// A stochastic fit on inducing points learns its hyper-parameters from a sample
// of the votes, and ends near the fit by full sweeps.
func TestStochasticFit(t *testing.T) {
	d, truth := simulate(t, SimulateOptions{Items: 60, Votes: 12000, Features: 2, Spread: 2, Ties: 0.3, Seed: 5})
	m := fit(t, d, &Options{Inducing: 25, Schedule: infer.Stochastic{Batch: 300, Steps: 400}})
	full := fit(t, d, &Options{Inducing: 25, Rule: infer.VI{}})
	if f := m.Fit(); f.Kind != infer.LowerBound.String() || f.Objective < full.Fit().Objective-2 {
		t.Errorf("%s %.1f, by full sweeps %.1f", f.Kind, f.Objective, full.Fit().Objective)
	}
	score := make([]float64, d.NumItems())
	for i := range score {
		score[i], _ = m.Utility(-1, i)
	}
	if tau := metric.KendallTauB(score, truth.Consensus); tau < 0.85 {
		t.Errorf("τ = %.3f", tau)
	}
}

func FuzzOpen(f *testing.F) {
	for _, o := range []SimulateOptions{{Items: 3, Votes: 6}, {Items: 4, Votes: 6, Features: 1, Ties: 0.3}} {
		d, _ := simulate(f, o)
		var b bytes.Buffer
		if err := fit(f, d, nil).Save(f.Context(), &b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		if p := m.Prefer(-1, 0, 1); p < 0 || p > 1 {
			t.Fatalf("P = %g", p)
		}
	})
}

func TestRefusals(t *testing.T) {
	skips := palate.NewBuilder()
	if err := skips.Add(palate.Vote{User: -1, Left: skips.Item("a"), Right: skips.Item("b"), Outcome: palate.Skip, Weight: 1}); err != nil {
		t.Fatal(err)
	}
	none, err := skips.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FitSingle(t.Context(), none, nil); err == nil {
		t.Error("votes that are all skipped: no error")
	}
	for _, l := range []Likelihood{Logit, Davidson} { // ties have no bound
		if _, err := FitSingle(t.Context(), dataset(t, nil, [3]string{"a", "=", "b"}), &Options{Likelihood: l, Rule: infer.Jaakkola{}}); err == nil {
			t.Error("ties under Jaakkola's bound: no error")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := FitSingle(ctx, dataset(t, nil, [3]string{"a", ">", "b"}), nil); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the start: %v, %v", m, err)
	}
}

// The votes of one voter are those of nobody in particular: there is no other whom tastes
// could differ from.
func TestOneVoterIsPooled(t *testing.T) {
	named, bare := palate.NewBuilder(), palate.NewBuilder()
	rng := rand.New(rand.NewPCG(9, 9))
	named.User("who never votes")
	for range 40 {
		i, o := rng.IntN(4), palate.Outcome(rng.IntN(2))
		for b, user := range map[*palate.Builder]string{named: "ann", bare: ""} {
			if err := b.Say(user, strconv.Itoa(i), strconv.Itoa(i+1), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	var chance [2]float64
	for k, b := range []*palate.Builder{named, bare} {
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := fit(t, d, nil)
		if chance[k] = m.Prefer(-1, 0, 2); m.Dependence() != (Dependence{}) {
			t.Errorf("votes of one voter: %v", m.Dependence())
		}
	}
	if chance[0] != chance[1] {
		t.Errorf("chances %v", chance)
	}
}

// A bound on the work never makes more draws than were asked for.
func TestDrawsAreNoMoreThanAsked(t *testing.T) {
	for _, c := range []struct {
		n, least int
		bound    float64
		want     int
	}{{32, 1000, 20, 32}, {4000, 1000, 20, 1000}, {4000, 1000, 2500.5, 2500}, {4000, 1000, math.Inf(1), 4000}} {
		if got := atMost(c.n, c.least, c.bound); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
