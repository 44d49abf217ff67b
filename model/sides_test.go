package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/internal/num"
)

// sidedVotes are votes between eight items, with a bonus for the left one; where sides
// are fixed the better items are left more often.
func sidedVotes(t *testing.T, votes int, bonus float64, fixed, shown bool) *palate.Dataset {
	rng := rand.New(rand.NewPCG(3, 3))
	b := palate.NewBuilder()
	u := []float64{0.6, 0.9, -0.2, 0.5, -0.6, 0.1, -0.9, -0.4}
	for i := range u {
		b.Item(string(rune('a' + i)))
	}
	for range votes {
		l, r := rng.IntN(len(u)), rng.IntN(len(u)-1)
		if r >= l {
			r++
		}
		if fixed {
			l, r = min(l, r), max(l, r)
		}
		v := palate.Vote{User: -1, Left: l, Right: r, Weight: 1, Unsided: !shown}
		if u[l]-u[r]+bonus+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return built(t, b)
}

// Where left has a bonus it is found, and scores are without it, even where the better
// items were left more often. Where sides were not shown nothing is said of them.
func TestSides(t *testing.T) {
	lead := func(m *Single) float64 {
		first, _ := m.Utility(-1, 0)
		last, _ := m.Utility(-1, 7)
		return first - last
	}
	for _, c := range []struct {
		name         string
		bonus        float64
		fixed, shown bool
		sides        Sides
		off          float64 // how far the lead of the first over the last may be from 1
	}{
		{"none", 0, false, true, NoSides, 0.25},
		{"at random", 0.5, false, true, PooledSides, 0.25},
		{"fixed", 0.5, true, true, PooledSides, 0.35},
	} {
		m := fit(t, sidedVotes(t, 1500, c.bonus, c.fixed, c.shown), nil)
		if m.voting.sides != c.sides {
			t.Errorf("%s: sides %v", c.name, m.voting.sides)
		}
		if d := lead(m) - 1; math.Abs(d) > c.off {
			t.Errorf("%s: the first item leads by %.2f", c.name, lead(m))
		}
		if c.bonus == 0 && len(m.Effects()) > 0 {
			t.Errorf("%s: effects %v", c.name, m.Effects())
		}
		if c.bonus != 0 {
			if e := m.Effects(); len(e) != 1 || math.Abs(e[0].Mean-c.bonus) > 3*e[0].SD || e[0].SD > 0.2 {
				t.Errorf("%s: effects %v", c.name, e)
			}
		}
	}
	if unknown := fit(t, sidedVotes(t, 1500, 0.5, true, false), nil); len(unknown.Effects()) > 0 || unknown.obs.context != nil || lead(unknown) < 1.3 {
		t.Errorf("sides that were not shown: effects %v, a lead of %.2f", unknown.Effects(), lead(unknown))
	}
}

// Voters who favour sides of their own are told from voters who share a bonus.
func TestSidesOfVoters(t *testing.T) {
	own := fit(t, electorate{items: 6, users: 30, votes: 40, alike: true, bonuses: 1}.draw(t), nil)
	if own.voting.sides != VoterSides || own.Effects()[0].Lean < 0.6 || own.Effects()[0].Lean > 1.5 {
		t.Errorf("sides %v, effects %v", own.voting.sides, own.Effects())
	}
	shared := fit(t, electorate{items: 6, users: 30, votes: 40, alike: true, bonus: 0.7}.draw(t), nil)
	if shared.voting.sides != PooledSides {
		t.Errorf("sides %v, effects %v", shared.voting.sides, shared.Effects())
	}
}

// Draws that are weighed by the true posterior have, where it is known to be near the
// Gaussian one, the moments of that.
func TestSidesAreWeighed(t *testing.T) {
	m := fit(t, sidedVotes(t, 300, 0.3, false, true), nil)
	s, err := m.scales(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	weighed, err := m.Draws(t.Context(), -1, 20000, rng)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := s.mixture(t.Context(), 20000, rng)
	if err != nil {
		t.Fatal(err)
	}
	if !weighed.Mended || m.obs.context == nil {
		t.Fatalf("draws were mended: %v; sides apart: %v", weighed.Mended, m.obs.context != nil)
	}
	moments := func(d Draws, i int) (mean, sd float64) {
		for k, w := range d.Weight {
			f := d.F.RawRowView(k)
			x := f[i] - f[0]
			mean, sd = mean+w*x, sd+w*x*x
		}
		return mean, math.Sqrt(sd - mean*mean)
	}
	for i := 1; i < 8; i++ {
		a, u := moments(weighed, i)
		b, v := moments(plain, i)
		if math.Abs(a-b) > 0.1*v || math.Abs(u/v-1) > 0.06 {
			t.Errorf("item %d: %.3f ± %.3f, want about %.3f ± %.3f", i, a, u, b, v)
		}
	}
}

// Along the graph of comparisons the bonus is learnt to about what it is where it is
// integrated out, and so are the utilities.
func TestSidesAlongGraph(t *testing.T) {
	for _, fixed := range []bool{false, true} {
		d := sidedVotes(t, 1500, 0.5, fixed, true)
		dense, graph := fit(t, d, nil), fit(t, d, &Options{DenseLimit: 4})
		a, b := dense.Effects(), graph.Effects()
		if len(a) != 1 || len(b) != 1 || math.Abs(a[0].Mean-b[0].Mean) > 0.3*a[0].SD {
			t.Fatalf("effects %v; along the graph %v", a, b)
		}
		for i := range 8 {
			x, _ := dense.Utility(-1, i)
			y, _ := graph.Utility(-1, i)
			if math.Abs(x-y) > 0.05 {
				t.Errorf("item %d is %.3f; along the graph %.3f", i, x, y)
			}
		}
	}
	if none := fit(t, sidedVotes(t, 1500, 0, false, true), &Options{DenseLimit: 4}); len(none.Effects()) > 0 {
		t.Errorf("effects %v of none", none.Effects())
	}
}

// With more than a hundred items hyper-parameters are learnt along the graph, and the
// bonus is integrated out at them.
func TestSidesOfManyItems(t *testing.T) {
	d := electorate{items: 120, votes: 1500, bonus: 0.6}.draw(t)
	m := fit(t, d, nil)
	if e := m.Effects(); m.voting.sides != PooledSides || len(e) != 1 || math.Abs(e[0].Mean-0.6) > 3*e[0].SD {
		t.Errorf("sides %v, effects %v", m.voting.sides, m.Effects())
	}
	none := fit(t, electorate{items: 120, votes: 1500}.draw(t), nil)
	if len(none.Effects()) > 0 {
		t.Errorf("effects %v of none", none.Effects())
	}
}

// The chance that an item wins is that on sides drawn at random: nearer to a half than
// without a bonus, and the same whichever of two items is named first.
func TestSidesInChances(t *testing.T) {
	m := fit(t, sidedVotes(t, 1500, 0.8, false, true), nil)
	a, _ := m.Utility(-1, 0)
	b, _ := m.Utility(-1, 6)
	p, q := m.Prefer(-1, 0, 6), m.Prefer(-1, 6, 0)
	want := (num.Phi(a-b+0.8) + num.Phi(a-b-0.8)) / 2
	if math.Abs(p+q-1) > 1e-12 || math.Abs(p-want) > 0.02 {
		t.Errorf("chances %.3f and %.3f, want about %.3f", p, q, want)
	}
}
