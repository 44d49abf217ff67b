package crowd

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

// draw makes up votes of voters with two tastes.
func draw(seed uint64, voters, items, each int, ties bool) []palate.Tally {
	rng := rand.New(rand.NewPCG(seed, 1))
	t, v := make([]float64, items), make([]float64, items)
	for i := range t {
		t[i], v[i] = rng.NormFloat64(), 1.5*rng.NormFloat64()
	}
	var out []palate.Tally
	for u := range voters {
		w := rng.NormFloat64()
		seen := map[[2]int]bool{}
		for range each {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			z := t[a] - t[b] + w*(v[a]-v[b]) + rng.NormFloat64()
			tie := ties && math.Abs(z) < 0.5
			if z < 0 || tie && a > b {
				a, b = b, a
			}
			if seen[[2]int{a, b}] {
				continue
			}
			seen[[2]int{a, b}] = true
			out = append(out, palate.Tally{User: u, A: a, B: b, Tie: tie, Weight: 1})
		}
	}
	return out
}

func features(items int) *mat.Dense {
	rng := rand.New(rand.NewPCG(9, 9))
	x := mat.NewDense(items, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return x
}

var matern = kernel.Sum(
	kernel.Scale(0.5, kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.3})),
	kernel.Scale(0.5, kernel.Identity{}))

func priors(t *testing.T, items int) map[string]*gp.Prior {
	t.Helper()
	x := features(items)
	dense, err := gp.Dense(matern, kernel.Dense(x))
	if err != nil {
		t.Fatal(err)
	}
	z := kernel.Dense(mat.DenseCopyOf(x.Slice(0, 4, 0, 2))).WithIDs([]int{-1, -2, -3, -4})
	inducing, err := gp.Inducing(matern, kernel.Dense(x), z)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*gp.Prior{"white": gp.White(items), "dense": dense, "inducing": inducing}
}

func mustVotes(t *testing.T, items int, tallies []palate.Tally) *Votes {
	t.Helper()
	v, err := NewVotes(items, tallies)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustFit(t *testing.T, v *Votes, p *gp.Prior, o *Options) *Learnt {
	t.Helper()
	l, err := Fit(context.Background(), v, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func pair(a, b int) *gp.Rows {
	var r gp.Rows
	r.AppendPair(a, b)
	return &r
}

// The bound never falls, whatever the prior, with ties and weights and without.
func TestBoundRises(t *testing.T) {
	const items = 8
	for name, prior := range priors(t, items) {
		for _, ties := range []bool{false, true} {
			for _, plain := range []bool{false, true} {
				tallies := draw(2, 12, items, 10, ties)
				tallies[3].Weight, tallies[5].Weight = 2, 1.5
				l := mustFit(t, mustVotes(t, items, tallies), prior, &Options{NoOwn: plain, Factors: 4, Tolerance: 1e-9, MaxSweeps: 25})
				for k := 1; k < len(l.Trace); k++ {
					if l.Trace[k] < l.Trace[k-1]-1e-9 {
						t.Errorf("%s, ties %v, plain %v: sweep %d lowers the bound from %.12g to %.12g", name, ties, plain, k+1, l.Trace[k-1], l.Trace[k])
					}
				}
			}
		}
	}
}

// What a vote adds to the bound is below the expectation of its log probability
// under q, which is found by drawing from q.
func TestBoundsAVote(t *testing.T) {
	const c, draws = 2, 40000
	rng := rand.New(rand.NewPCG(2, 2))
	tightest := math.Inf(1)
	for range 60 {
		v := mustVotes(t, 2, []palate.Tally{{User: 0, A: 0, B: 1, Weight: 1}})
		e := newEngine(v, gp.White(2), &Options{Factors: c, NoOwn: true}).blank()
		e.setThreshold(0)
		w, cov := e.weights(0)
		sd := make([]float64, c)
		for k := range e.a {
			e.a[k], e.s[k] = 3*rng.NormFloat64(), 2*rng.ExpFloat64()
		}
		for i := range w {
			w[i], sd[i] = 2*rng.NormFloat64(), rng.ExpFloat64()
			cov[i*c+i] = sd[i] * sd[i]
		}
		before, after := make([]float64, c), make([]float64, c)
		e.stiffen(0, after)
		bound := e.evaluate()
		for i := range w {
			bound -= 0.5 * (after[i] - before[i]) * (w[i]*w[i] + cov[i*c+i])
		}
		var sum, square float64
		for range draws {
			z := e.a[0] + math.Sqrt(e.s[0])*rng.NormFloat64()
			for i := range w {
				z += (w[i] + sd[i]*rng.NormFloat64()) * (e.a[i+1] + math.Sqrt(e.s[i+1])*rng.NormFloat64())
			}
			lp := num.LogPhi(z)
			sum += lp / draws
			square += lp * lp / draws
		}
		se := math.Sqrt((square - sum*sum) / draws)
		if !(bound <= sum+4*se) {
			t.Errorf("bound %.5f, expectation %.5f ± %.5f", bound, sum, se)
		}
		tightest = min(tightest, (sum-bound)/math.Max(1, math.Abs(sum)))
	}
	if tightest > 0.1 {
		t.Errorf("never closer to the expectation than a share of %.3f", tightest)
	}
}

// The bound is below the evidence, which is found by importance sampling from a
// widened q, with scales integrated out by drawing them from q as well.
func TestBoundsTheEvidence(t *testing.T) {
	const items, c, draws = 3, 1, 200000
	for _, plain := range []bool{true, false} {
		for seed := range uint64(3) {
			tallies := draw(seed, 3, items, 3, false)
			v := mustVotes(t, items, tallies)
			g := infer.Gamma{Shape: 3, Rate: 3}
			l := mustFit(t, v, gp.White(items), &Options{NoOwn: plain, Factors: c, Tolerance: 1e-8, ConsensusScale: g, FactorScale: g, OwnScale: g})
			rng := rand.New(rand.NewPCG(seed, 7))
			logW := make([]float64, draws)
			for k := range logW {
				logW[k] = l.weigh(rng)
			}
			evidence := num.LogSumExp(logW) - math.Log(draws)
			bound := l.Trace[len(l.Trace)-1]
			if !(bound < evidence) || evidence-bound > 4 {
				t.Errorf("plain %v, seed %d: bound %.4f, evidence %.4f", plain, seed, bound, evidence)
			}
		}
	}
}

// weigh draws everything from the prior and returns the log probability of the
// votes: on toys the prior is a fair proposal.
func (l *Learnt) weigh(rng *rand.Rand) (sum float64) {
	gamma := func(g infer.Gamma) float64 { // shape 3: three exponentials
		return (rng.ExpFloat64() + rng.ExpFloat64() + rng.ExpFloat64()) / g.Rate
	}
	n := l.items
	var columns [][]float64
	for k := range l.columns() {
		f := make([]float64, n)
		sd := 1 / math.Sqrt(gamma(l.scalePrior[k]))
		for i := range f {
			f[i] = sd * rng.NormFloat64()
		}
		columns = append(columns, f)
	}
	own := 0.0
	if l.own {
		own = 1 / math.Sqrt(gamma(l.ownPrior))
	}
	slope := make([]float64, 0)
	if l.leaning != nil { // of one factor
		for range l.leaning.groups {
			slope = append(slope, rng.NormFloat64()/math.Sqrt(gamma(l.leaning.prior)))
		}
	}
	for u := range l.Voters() {
		w, g := make([]float64, l.c), make([]float64, n)
		for c := range w {
			w[c] = rng.NormFloat64()
		}
		if l.leaning != nil {
			w[0] += dot(slope, l.leaning.x.RawRowView(u))
		}
		for i := range g {
			g[i] = own * rng.NormFloat64()
		}
		for p := l.start[u]; p < l.start[u+1]; p++ {
			index, _ := l.Votes.rows.Row(int(l.row[p]))
			a, b := index[0], index[1]
			z := columns[0][a] - columns[0][b] + g[a] - g[b]
			for c, x := range w {
				z += x * (columns[c+1][a] - columns[c+1][b])
			}
			sum += l.count[p] * num.LogPhi(z)
		}
	}
	return sum
}

// Without factors and own tastes it is the single model by VI.
func TestNoFactorsIsSingle(t *testing.T) {
	const items = 8
	tallies := draw(3, 10, items, 8, false)
	v := mustVotes(t, items, tallies)
	for name, prior := range priors(t, items) {
		if prior.Sparse() {
			continue
		}
		g := infer.Gamma{Shape: 1, Rate: 2}
		l := mustFit(t, v, prior, &Options{NoOwn: true, Factors: -1, ConsensusScale: g, Tolerance: -1, MaxSweeps: 200})
		lik := make([]likelihood.Scalar, v.Len())
		var rows gp.Rows
		for k, x := range tallies {
			rows.AppendPair(x.A, x.B)
			lik[k] = likelihood.Probit{}
		}
		r, err := infer.Run(context.Background(), &infer.Problem{Prior: prior, Rows: &rows, Likelihood: lik, ScalePrior: &g},
			&infer.Settings{Rule: infer.VI{}, Tolerance: 1e-12, MaxSweeps: 5000})
		if err != nil {
			t.Fatal(err)
		}
		if d := math.Abs(r.Objective - l.Trace[len(l.Trace)-1]); d > 1e-8 {
			t.Errorf("%s: bound %.12g, single %.12g", name, l.Trace[len(l.Trace)-1], r.Objective)
		}
		for i := range items - 1 {
			m, s := l.Form(0, pair(i, i+1))
			m2, s2 := r.Posterior.Forms(pair(i, i+1))
			if math.Abs(m-m2[0]) > 1e-8 || math.Abs(s-s2[0]) > 1e-8 {
				t.Errorf("%s: items %d, %d: %.12g ± %.12g, single %.12g ± %.12g", name, i, i+1, m, s, m2[0], s2[0])
			}
		}
	}
}

// Renaming items and voters renames the result.
func TestPermute(t *testing.T) {
	const items, voters = 7, 12
	tallies := draw(4, voters, items, 9, true)
	o := &Options{Factors: 3, MaxSweeps: 25}
	l := mustFit(t, mustVotes(t, items, tallies), gp.White(items), o)
	rng := rand.New(rand.NewPCG(5, 5))
	item, voter := rng.Perm(items), rng.Perm(voters)
	moved := slices.Clone(tallies)
	for k := range moved {
		m := &moved[k]
		m.User, m.A, m.B = voter[m.User], item[m.A], item[m.B]
		if m.Tie && m.A > m.B {
			m.A, m.B = m.B, m.A
		}
	}
	r := mustFit(t, mustVotes(t, items, moved), gp.White(items), o)
	if math.Abs(l.Trace[len(l.Trace)-1]-r.Trace[len(r.Trace)-1]) > 1e-6 {
		t.Errorf("bound %v, renamed %v", l.Trace[len(l.Trace)-1], r.Trace[len(r.Trace)-1])
	}
	for u := range voters {
		for i := range items - 1 {
			m, s := l.Form(u, pair(i, i+1))
			m2, s2 := r.Form(voter[u], pair(item[i], item[i+1]))
			if math.Abs(m-m2) > 1e-5 || math.Abs(s-s2) > 1e-5 {
				t.Fatalf("voter %d, items %d, %d: %g ± %g, renamed %g ± %g", u, i, i+1, m, s, m2, s2)
			}
			m3, s3 := l.Form(u, pair(i+1, i))
			if math.Abs(m+m3) > 1e-12 || math.Abs(s-s3) > 1e-12 {
				t.Fatalf("voter %d: turned round %g ± %g, %g ± %g", u, m, s, m3, s3)
			}
		}
	}
}

// The number of processors does not change a bit.
func TestProcessors(t *testing.T) {
	const items = 9
	v := mustVotes(t, items, draw(6, 60, items, 12, false))
	prior := priors(t, items)["dense"]
	fit := func(n int) *Learnt {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		return mustFit(t, v, prior, &Options{MaxSweeps: 10})
	}
	one, two := fit(1), fit(3)
	if !slices.Equal(one.Trace, two.Trace) || !slices.Equal(one.w, two.w) || !slices.Equal(one.cov, two.cov) {
		t.Errorf("bound %v on one processor, %v on three", one.Trace[len(one.Trace)-1], two.Trace[len(two.Trace)-1])
	}
}

// Batches of voters come near what all votes give, and a seed gives the same
// bits on any number of processors.
func TestStochastic(t *testing.T) {
	const items = 9
	for name, prior := range priors(t, items) {
		v := mustVotes(t, items, draw(6, 60, items, 14, name == "white"))
		whole := mustFit(t, v, prior, &Options{Factors: 2, MaxSweeps: 60})
		fit := func(n int) *Learnt {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			return mustFit(t, v, prior, &Options{Factors: 2, MaxSweeps: 10, Stochastic: &Stochastic{Batch: 30, Passes: 25, Seed: 1}})
		}
		one, two := fit(1), fit(3)
		if !slices.Equal(one.Trace, two.Trace) || !slices.Equal(one.w, two.w) || !slices.Equal(one.kept.tau, two.kept.tau) {
			t.Errorf("%s: bound %v on one processor, %v on three", name, one.Trace, two.Trace)
		}
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
	const items = 8
	tallies := draw(5, 15, items, 9, true)
	for name, prior := range priors(t, items) {
		l := mustFit(t, mustVotes(t, items, tallies), prior, &Options{Factors: 3, Tolerance: -1, MaxSweeps: 150})
		for _, from := range []*Learnt{l, mustArrays(t, prior, l)} {
			for u := range 15 {
				var own []palate.Tally
				for _, x := range tallies {
					if x.User == u {
						own = append(own, x)
					}
				}
				b, err := from.FoldIn(own, nil)
				if err != nil {
					t.Fatal(err)
				}
				m, s := l.Form(u, pair(1, 4))
				m2, s2 := b.Form(0, pair(1, 4))
				if math.Abs(m-m2) > 0.02*math.Sqrt(s) || math.Abs(s-s2) > 0.02*s {
					t.Errorf("%s: voter %d: %g ± %g inside, %g ± %g alone", name, u, m, s, m2, s2)
				}
			}
		}
		if _, err := l.FoldIn([]palate.Tally{{A: 1, B: items, Weight: 1}}, nil); err == nil {
			t.Error("a vote for an item that is not there")
		}
	}
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

// What was learnt survives as arrays, draws have its moments, and arrays that
// contradict each other are refused.
func TestArrays(t *testing.T) {
	const items, n = 6, 20000
	for name, prior := range priors(t, items) {
		l := mustFit(t, mustVotes(t, items, draw(8, 10, items, 8, false)), prior, &Options{Factors: 2, MaxSweeps: 15})
		back := mustArrays(t, prior, l)
		for u := -1; u < 10; u++ {
			m, s := l.Form(u, pair(1, 4))
			m2, s2 := back.Form(u, pair(1, 4))
			if m != m2 || math.Abs(s-s2) > 1e-12*s {
				t.Errorf("%s: voter %d: %v ± %v, read back %v ± %v", name, u, m, s, m2, s2)
			}
		}
		f := back.Draws(3, n, rand.New(rand.NewPCG(1, 1)))
		var mean, square float64
		for k := range n {
			z := f.At(k, 1) - f.At(k, 4)
			mean += z / n
			square += z * z / n
		}
		m, s := l.Form(3, pair(1, 4))
		if math.Abs(mean-m) > 0.05*math.Sqrt(s) || math.Abs(square-mean*mean-s) > 0.05*s {
			t.Errorf("%s: draws %g ± %g, want %g ± %g", name, mean, square-mean*mean, m, s)
		}
		bad := l.Arrays()
		bad.Weight = bad.Weight[1:]
		if _, err := FromArrays(prior, bad); err == nil {
			t.Error("arrays of the wrong length are accepted")
		}
	}
}

// Expectations are those of package likelihood.
func TestQuadrature(t *testing.T) {
	var q quadrature
	for _, offset := range []float64{0, 0.4} {
		l := likelihood.Probit{Offset: offset}
		for _, mean := range []float64{-30, -3, 0, 0.7, 5, 40} {
			for _, variance := range []float64{0, 1e-3, 1, 30, 1e4} {
				e, d1, d2 := q.expect(l, mean, variance)
				e2, g1, g2 := likelihood.Expect(l, mean, variance)
				for k, x := range [][2]float64{{e, e2}, {d1, g1}, {d2, g2}} {
					if math.Abs(x[0]-x[1]) > 1e-10*(1e-10+math.Abs(x[1])) {
						t.Errorf("N(%g, %g), derivative %d: %.14g, want %.14g", mean, variance, k, x[0], x[1])
					}
				}
			}
		}
	}
}
