package crowd

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
)

// The bound never falls.
func TestBoundRises(t *testing.T) {
	const items = 8
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		if w.options.Stochastic != nil {
			t.Skip("batches know it at the end only")
		}
		tallies, o := w.world(2, 12, items, 9)
		o.Tolerance, o.MaxSweeps = -1, 25
		l := mustFit(t, mustVotes(t, items, tallies), prior(features(items)), &o)
		for k := 1; k < len(l.Trace); k++ {
			if l.Trace[k] < l.Trace[k-1]-1e-9 {
				t.Errorf("sweep %d lowers the bound from %.12g to %.12g", k+1, l.Trace[k-1], l.Trace[k])
			}
		}
	})
}

// Without factors and own tastes it is the single model by VI, at the scale learnt;
// the bound differs by what a scale that is not known costs.
func TestNoFactorsIsSingle(t *testing.T) {
	const items = 8
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		if w.options.Reliability || w.options.Habits || w.options.Stochastic != nil || w.options.mostTogether > 0 {
			t.Skip("the single model has no classes, batches come near only, and items apart have a lower bound")
		}
		tallies, o := w.world(3, 10, items, 8)
		g := infer.Gamma{Shape: 1, Rate: 2}
		o.Factors, o.NoOwn, o.ConsensusScale, o.Tolerance, o.MaxSweeps = -1, true, g, -1, 500
		v := mustVotes(t, items, tallies)
		p := prior(features(items))
		l := mustFit(t, v, p, &o)
		single := &infer.Problem{Prior: p, Rows: &v.rows, Scale: l.scale[0].Mean()}
		size, scale := []float64{float64(p.Dim())}, l.scale[:1]
		if o.Nugget { // the sum of the parts is the covariance
			k := mat.NewSymDense(items, nil)
			phi, s := p.Features(), l.common.spread(infer.Gamma.Mean)
			for i := range items {
				for j := range i + 1 {
					var sum float64
					for c := range p.Dim() {
						sum += phi.At(i, c) * phi.At(j, c) / s[c]
					}
					if i == j {
						sum += 1 / s[p.Dim()]
					}
					k.SetSym(i, j, sum)
				}
			}
			var err error
			if single.Prior, err = gp.Covariance(k); err != nil {
				t.Fatal(err)
			}
			single.Scale, size, scale = 1, nil, l.common.scale
			for b := range scale {
				size = append(size, l.common.size(b))
			}
		}
		bound := l.Trace[len(l.Trace)-1]
		for b, s := range scale {
			bound += s.KL(g) - 0.5*size[b]*(s.MeanLog()-math.Log(s.Mean()))
		}
		rows := &gp.Rows{}
		for k, r := range v.row {
			index, _ := v.rows.Row(int(r))
			rows.AppendPair(index[0], index[1])
			single.Count = append(single.Count, v.count[k])
			single.Likelihood = append(single.Likelihood, l.lik[v.kind[k]])
		}
		single.Rows = rows
		r, err := infer.Run(context.Background(), single, &infer.Settings{Rule: infer.VI{}, Tolerance: 1e-12, MaxSweeps: 5000})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.Objective-bound) > 1e-8 {
			t.Errorf("bound %.12g, single %.12g", bound, r.Objective)
		}
		for i := range items - 1 {
			m, s := l.Form(0, pair(i, i+1))
			m2, s2 := r.Posterior.Forms(pair(i, i+1))
			if rest := single.Prior.Residuals(pair(i, i+1)); rest != nil {
				s2[0] += rest[0] / single.Scale
			}
			if math.Abs(m-m2[0]) > 1e-8 || math.Abs(s-s2[0]) > 1e-8 {
				t.Errorf("items %d, %d: %.12g ± %.12g, single %.12g ± %.12g", i, i+1, m, s, m2[0], s2[0])
			}
		}
		if single.Prior.Sparse() || o.Nugget {
			return
		}
		single.Scale, single.ScalePrior = 0, &g
		if r, err = infer.Run(context.Background(), single, &infer.Settings{Rule: infer.VI{}, Tolerance: 1e-12, MaxSweeps: 5000}); err != nil {
			t.Fatal(err)
		}
		if bound := l.Trace[len(l.Trace)-1]; math.Abs(r.Objective-bound) > 1e-8 {
			t.Errorf("bound %.12g, single that learns its scale %.12g", bound, r.Objective)
		}
	})
}

// Renaming items and voters renames the result, and turning a pair round turns it.
func TestPermute(t *testing.T) {
	const items, voters = 7, 12
	rng := rand.New(rand.NewPCG(5, 5))
	item, voter := rng.Perm(items), rng.Perm(voters)
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		if w.options.Stochastic != nil {
			t.Skip("who is in a batch hangs on the number of a voter")
		}
		tallies, o := w.world(4, voters, items, 9)
		o.MaxSweeps, o.Tolerance = 25, 3e-5 // as far up, before EP as without
		l := mustFit(t, mustVotes(t, items, tallies), prior(features(items)), &o)
		tallies, o = renamed(tallies, o, item, voter)
		r := mustFit(t, mustVotes(t, items, tallies), prior(shuffled(features(items), item)), &o)
		if a, b := l.Trace[len(l.Trace)-1], r.Trace[len(r.Trace)-1]; math.Abs(a-b) > 1e-6 {
			t.Errorf("bound %v, renamed %v", a, b)
		}
		at := map[int]int{-1: -1} // voters of the second fit, by user
		for k := range r.Voters() {
			at[r.Owner(k)] = k
		}
		for k := range l.Voters() {
			u, to := l.Owner(k), -1
			if u >= 0 {
				to = at[voter[u]]
			} else {
				k = -1
			}
			for i := range items - 1 {
				m, s := l.Form(k, pair(i, i+1))
				m2, s2 := r.Form(to, pair(item[i], item[i+1]))
				if math.Abs(m-m2) > 1e-5 || math.Abs(s-s2) > 1e-5 {
					t.Fatalf("user %d, items %d, %d: %g ± %g, renamed %g ± %g", u, i, i+1, m, s, m2, s2)
				}
				m3, s3 := l.Form(k, pair(i+1, i))
				if math.Abs(m+m3) > 1e-12 || math.Abs(s-s3) > 1e-12 {
					t.Fatalf("user %d: turned round %g ± %g, %g ± %g", u, m, s, m3, s3)
				}
			}
			for c, x := range l.Classes(k) {
				if y := r.Classes(to)[c]; math.Abs(x.Share-y.Share) > 1e-5 || math.Abs(x.Margin-y.Margin) > 1e-5 {
					t.Fatalf("user %d, class %d: %+v, renamed %+v", u, c, x, y)
				}
			}
		}
	})
}

// The number of processors does not change a bit.
func TestProcessors(t *testing.T) {
	const items = 9
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		tallies, o := w.world(6, 40, items, 8)
		o.MaxSweeps = 5
		if o.Stochastic != nil {
			o.Stochastic = &Stochastic{Batch: 30, Passes: 3}
		}
		fit := func(n int) *Learnt {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			return mustFit(t, mustVotes(t, items, tallies), prior(features(items)), &o)
		}
		one, three := fit(1), fit(3)
		if !slices.Equal(one.Trace, three.Trace) || !reflect.DeepEqual(one.Arrays(), three.Arrays()) {
			t.Errorf("bound %v on one processor, %v on three", one.Trace[len(one.Trace)-1], three.Trace[len(three.Trace)-1])
		}
	})
}

// Batches of voters come near what all votes give.
func TestStochastic(t *testing.T) {
	const items = 9
	for name, prior := range priors(t, items) {
		v := mustVotes(t, items, draw(6, 60, items, 14, name == "white"))
		whole := mustFit(t, v, prior, &Options{Factors: 2, MaxSweeps: 60})
		one := mustFit(t, v, prior, &Options{Factors: 2, MaxSweeps: 10, Stochastic: &Stochastic{Batch: 30, Passes: 25, Seed: 1}})
		best := whole.Trace[len(whole.Trace)-1]
		if gap := best - one.Trace[0]; !(gap < 0.05*math.Abs(best)) {
			t.Errorf("%s: bound %.2f in batches, %.2f with all votes", name, one.Trace[0], best)
		}
		if one.Voters() != 60 || one.Owner(59) != 59 {
			t.Errorf("%s: %d voters", name, one.Voters())
		}
	}
}

// Somebody folded in is the voter inside a fit, and votes that make no sense
// are refused.
func TestFoldIn(t *testing.T) {
	const items, voters = 8, 15
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		tallies, o := w.world(5, voters, items, 9)
		g := infer.Gamma{Shape: 3, Rate: 3} // is soon done
		o.Tolerance, o.MaxSweeps, o.ConsensusScale, o.FactorScale, o.OwnScale = -1, 40, g, g, g
		p := prior(features(items))
		l := mustFit(t, mustVotes(t, items, tallies), p, &o)
		back := mustArrays(t, p, l)
		for k := range l.Voters() {
			u := l.Owner(k)
			if u < 0 || u > 3 {
				continue
			}
			own := slices.DeleteFunc(slices.Clone(tallies), func(x palate.Tally) bool { return x.User != u })
			var x []float64
			if l.leaning != nil {
				x = o.About.Features.RawRowView(u)
			}
			for _, from := range []*Learnt{l, back} {
				b, err := from.FoldIn(own, nil, x)
				if err != nil {
					t.Fatal(err)
				}
				m, s := l.Form(k, pair(1, 4))
				m2, s2 := b.Form(0, pair(1, 4))
				if math.Abs(m-m2) > 0.02*math.Sqrt(s) || math.Abs(s-s2) > 0.02*s {
					t.Errorf("user %d: %g ± %g inside, %g ± %g alone", u, m, s, m2, s2)
				}
				for c, x := range l.Classes(k) {
					if y := b.Classes(0)[c]; math.Abs(x.Share-y.Share) > 0.02 || x.Margin != y.Margin {
						t.Errorf("user %d, class %d: %+v inside, %+v alone", u, c, x, y)
					}
				}
			}
		}
		if _, err := l.FoldIn([]palate.Tally{{A: 1, B: items, Weight: 1}}, nil, nil); err == nil {
			t.Error("a vote for an item that is not there")
		}
		if _, err := l.FoldIn(nil, nil, []float64{1}); err == nil {
			t.Error("features of another width")
		}
	})
}

func mustArrays(t *testing.T, p *gp.Prior, l *Learnt) *Learnt {
	t.Helper()
	back, err := FromArrays(p, l.Arrays())
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Factors that nobody needs are pruned, and one that everybody uses is found.
func TestPruning(t *testing.T) {
	const items = 12
	v := mustVotes(t, items, draw(7, 150, items, 15, false))
	l := mustFit(t, v, gp.White(items), &Options{Factors: 8})
	in := 0
	for _, s := range l.Shares() {
		if s > 0.05 {
			in++
		}
	}
	if in != 1 {
		t.Errorf("%d factors in use where one made the votes: %.3f", in, l.Shares())
	}
	if !slices.IsSortedFunc(l.Shares(), func(a, b float64) int {
		if a >= b {
			return -1
		}
		return 1
	}) {
		t.Errorf("factors are not in order: %.3f", l.Shares())
	}
}

// What was learnt survives as arrays, draws of the consensus have its moments, and
// arrays that contradict each other are refused.
func TestArrays(t *testing.T) {
	const items, n = 6, 20000
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		tallies, o := w.world(8, 10, items, 8)
		g := infer.Gamma{Shape: 3, Rate: 3} // tails of products that so many draws can tell
		o.MaxSweeps, o.ConsensusScale, o.FactorScale, o.OwnScale = 15, g, g, g
		p := prior(features(items))
		l := mustFit(t, mustVotes(t, items, tallies), p, &o)
		back := mustArrays(t, p, l)
		exact := 1e-12
		if o.mostTogether > 0 { // solved for again
			exact = 10 * wideTolerance
		}
		for u := -1; u < l.Voters(); u++ {
			m, s := l.Form(u, pair(1, 4))
			m2, s2 := back.Form(u, pair(1, 4))
			if m != m2 || math.Abs(s-s2) > exact*s {
				t.Errorf("voter %d: %v ± %v, read back %v ± %v", u, m, s, m2, s2)
			}
			if !slices.Equal(l.Classes(u), back.Classes(u)) {
				t.Errorf("voter %d: %+v, read back %+v", u, l.Classes(u), back.Classes(u))
			}
		}
		f, err := back.Draws(t.Context(), -1, n, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var mean, square float64
		for k := range n {
			z := f.At(k, 1) - f.At(k, 4)
			mean += z / n
			square += z * z / n
		}
		m, s := l.Consensus(pair(1, 4))
		if math.Abs(mean-m) > 0.05*math.Sqrt(s) || math.Abs(square-mean*mean-s) > 0.05*s {
			t.Errorf("draws %g ± %g, want %g ± %g", mean, square-mean*mean, m, s)
		}
		bad := l.Arrays()
		bad.Weight = append(slices.Clone(bad.Weight), 0)
		if _, err := FromArrays(p, bad); err == nil {
			t.Error("arrays of the wrong length are accepted")
		}
	})
}
