package crowd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
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
		one, err := l.FoldIn(nil, nil, about.Features.RawRowView(x.User))
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
