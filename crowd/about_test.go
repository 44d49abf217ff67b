package crowd

import (
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
)

// drawLed makes up votes of voters whose taste is told by the first of their
// features; the others tell nothing.
func drawLed(seed uint64, voters, items, each, features int) ([]palate.Tally, *About) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mat.NewDense(voters, features, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	t, v := make([]float64, items), make([]float64, items)
	for i := range t {
		t[i], v[i] = rng.NormFloat64(), 1.5*rng.NormFloat64()
	}
	var out []palate.Tally
	for u := range voters {
		w := 1.2*x.At(u, 0) + 0.3*rng.NormFloat64()
		for range each {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			if t[a]-t[b]+w*(v[a]-v[b])+rng.NormFloat64() < 0 {
				a, b = b, a
			}
			out = append(out, palate.Tally{User: u, A: a, B: b, Weight: 1})
		}
	}
	return out, &About{Features: x}
}

// With features of voters, too, the bound never falls.
func TestAboutBoundRises(t *testing.T) {
	const items = 8
	for name, prior := range priors(t, items) {
		tallies, about := drawLed(2, 14, items, 6, 3)
		about.Groups = []int{0, 1, 1}
		for _, plain := range []bool{false, true} {
			l := mustFit(t, mustVotes(t, items, tallies), prior, &Options{NoOwn: plain, Factors: 3, Tolerance: -1, MaxSweeps: 40, About: about})
			for k := 1; k < len(l.Trace); k++ {
				if l.Trace[k] < l.Trace[k-1]-1e-9 {
					t.Errorf("%s, plain %v: sweep %d lowers the bound from %.12g to %.12g", name, plain, k+1, l.Trace[k-1], l.Trace[k])
				}
			}
		}
	}
}

// With features of voters, too, the bound is below the evidence.
func TestAboutBoundsTheEvidence(t *testing.T) {
	const items, draws = 3, 200000
	for seed := range uint64(3) {
		tallies, about := drawLed(seed, 4, items, 2, 2)
		g := infer.Gamma{Shape: 3, Rate: 3}
		about.Relevance = g
		l := mustFit(t, mustVotes(t, items, tallies), gp.White(items), &Options{NoOwn: true, Factors: 1, Tolerance: 1e-8, ConsensusScale: g, FactorScale: g, About: about})
		rng := rand.New(rand.NewPCG(seed, 7))
		logW := make([]float64, draws)
		for k := range logW {
			logW[k] = l.weigh(rng)
		}
		evidence := num.LogSumExp(logW) - math.Log(draws)
		if bound := l.Trace[len(l.Trace)-1]; !(bound < evidence) || evidence-bound > 4 {
			t.Errorf("seed %d: bound %.4f, evidence %.4f", seed, bound, evidence)
		}
	}
}

// A feature that tells of tastes is found, those that do not are switched off,
// and somebody new is known by features alone.
func TestAboutTells(t *testing.T) {
	const items, voters = 10, 120
	tallies, about := drawLed(4, voters+60, items, 8, 6)
	known := slices.DeleteFunc(slices.Clone(tallies), func(x palate.Tally) bool { return x.User >= voters })
	v := mustVotes(t, items, known)
	l := mustFit(t, v, gp.White(items), &Options{About: about})
	plain := mustFit(t, v, gp.White(items), nil)
	for k := 1; k < 6; k++ {
		if first, r := l.leaning.relevance[0].Mean(), l.leaning.relevance[k].Mean(); !(r > 5*first) {
			t.Errorf("feature %d has the inverse relevance %.3g, that which tells %.3g", k, r, first)
		}
	}
	var with, without float64
	for _, x := range tallies[len(known):] {
		one, err := l.FoldIn(nil, about.Features.RawRowView(x.User))
		if err != nil {
			t.Fatal(err)
		}
		m, s := one.Form(0, pair(x.A, x.B))
		with += num.LogPhi(m / math.Sqrt(1+s))
		m, s = plain.Form(-1, pair(x.A, x.B))
		without += num.LogPhi(m / math.Sqrt(1+s))
	}
	if n := float64(len(tallies) - len(known)); !(with > without+0.05*n) {
		t.Errorf("newcomers' votes have the log probability %.3f a vote with features, %.3f without", with/n, without/n)
	}
}

// Renaming voters takes their features along, processors do not change a bit,
// arrays round-trip, and somebody folded in with features is the voter inside.
func TestAboutLaws(t *testing.T) {
	const items, voters = 7, 20
	tallies, about := drawLed(5, voters, items, 6, 2)
	fit := func(n int, tallies []palate.Tally, about *About, s *Stochastic) *Learnt {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		return mustFit(t, mustVotes(t, items, tallies), gp.White(items), &Options{Factors: 2, KeepFactors: true, Tolerance: -1, MaxSweeps: 60, About: about, Stochastic: s})
	}
	l := fit(1, tallies, about, nil)
	if two := fit(3, tallies, about, nil); !slices.Equal(l.Trace, two.Trace) || !slices.Equal(l.w, two.w) {
		t.Errorf("bound %v on one processor, %v on three", l.Trace[59], two.Trace[59])
	}
	s := &Stochastic{Batch: 10, Passes: 20, Seed: 1}
	batches, again := fit(1, tallies, about, s), fit(3, tallies, about, s)
	if !slices.Equal(batches.Trace, again.Trace) || !slices.Equal(batches.w, again.w) {
		t.Error("batches on one processor and on three differ")
	}
	if best := l.Trace[59]; !(best-batches.Trace[0] < 0.08*math.Abs(best)) {
		t.Errorf("bound %.2f in batches, %.2f with all votes", batches.Trace[0], best)
	}

	voter := rand.New(rand.NewPCG(5, 5)).Perm(voters)
	moved, other := slices.Clone(tallies), mat.NewDense(voters, 2, nil)
	for k := range moved {
		moved[k].User = voter[moved[k].User]
	}
	for u, to := range voter {
		other.SetRow(to, about.Features.RawRowView(u))
	}
	r := fit(1, moved, &About{Features: other}, nil)
	back := mustArrays(t, gp.White(items), l)
	for u := range voters {
		m, s := l.Form(u, pair(1, 4))
		if m2, s2 := r.Form(voter[u], pair(1, 4)); math.Abs(m-m2) > 1e-5 || math.Abs(s-s2) > 1e-5 {
			t.Errorf("voter %d: %g ± %g, renamed %g ± %g", u, m, s, m2, s2)
		}
		var own []palate.Tally
		for _, x := range tallies {
			if x.User == u {
				own = append(own, x)
			}
		}
		for _, from := range []*Learnt{l, back} {
			one, err := from.FoldIn(own, about.Features.RawRowView(u))
			if err != nil {
				t.Fatal(err)
			}
			if m2, s2 := one.Form(0, pair(1, 4)); math.Abs(m-m2) > 0.02*math.Sqrt(s) || math.Abs(s-s2) > 0.02*s {
				t.Errorf("voter %d: %g ± %g inside, %g ± %g alone", u, m, s, m2, s2)
			}
		}
	}
	m, s1 := l.Form(-1, pair(1, 4))
	if m2, s2 := back.Form(-1, pair(1, 4)); m != m2 || math.Abs(s1-s2) > 1e-12*s1 {
		t.Errorf("a stranger: %g ± %g, read back %g ± %g", m, s1, m2, s2)
	}
	if _, err := l.FoldIn(nil, []float64{1}); err == nil {
		t.Error("features of another width")
	}
}
