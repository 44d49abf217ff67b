package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate"
)

// What the left side is worth to voters of a population is found, is left out of chances on
// no side, and is part of those on sides; where it is worth nothing there is no word of it.
func TestLeansOfPopulation(t *testing.T) {
	fit := func(bonuses float64) *Population {
		d := electorate{items: 5, users: 20, votes: 40, bonuses: bonuses}.draw(t)
		m := populationOf(t, d, nil)
		return m
	}
	if m := fit(0); len(m.Effects()) > 0 {
		t.Errorf("effects %+v where sides do not matter", m.Effects())
	}
	m := fit(1)
	if e := m.Effects(); len(e) != 1 || !(e[0].Lean > 0.5 && e[0].Lean < 2) {
		t.Fatalf("effects %+v", e)
	}
	apart := 0.0
	for u := range 20 {
		p, q := m.Prefer(u, 0, 1), m.Prefer(u, 1, 0)
		if math.Abs(p+q-1) > 1e-9 {
			t.Errorf("voter %d: chances %g and %g of a pair on no side", u, p, q)
		}
		lean, _ := m.lean(u)
		left, right := m.PreferShown(u, 0, 1), 1-m.PreferShown(u, 1, 0)
		if (left-p)*lean < 0 || (right-p)*lean > 0 {
			t.Errorf("voter %d of lean %.2f: chances %.3f on the left, %.3f on no side, %.3f on the right", u, lean, left, p, right)
		}
		apart += math.Abs(left-right) / 20
	}
	if apart < 0.1 {
		t.Errorf("sides change chances by %.3f", apart)
	}
	// Somebody new leans as all do.
	rng := rand.New(rand.NewPCG(2, 2))
	votes := make([]palate.Vote, 12)
	for k := range votes {
		votes[k] = palate.Vote{Left: k % 5, Right: (k + 1 + rng.IntN(4)) % 5, Outcome: palate.Outcome(rng.IntN(2)), Unsided: k%3 == 0}
	}
	n, err := m.FoldIn(votes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if p := n.Prefer(0, 1) + n.Prefer(1, 0); math.Abs(p-1) > 1e-9 {
		t.Errorf("somebody new: chances sum to %g", p)
	}
}

// Sides are those of items where they were not drawn at random.
func TestSidesOfItems(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for want, side := range map[float64]func(a, b int) bool{
		0:       func(int, int) bool { return rng.IntN(2) == 0 },
		1.0 / 3: func(a, b int) bool { return a < b },
		1:       func(a, b int) bool { return a%2 == 0 },
	} {
		b := palate.NewBuilder()
		for i := range 40 {
			b.Item(string(rune('A' + i)))
		}
		for range 2000 {
			l, r := 2*rng.IntN(20), 2*rng.IntN(20)+1
			if !side(l, r) {
				l, r = r, l
			}
			if err := b.Add(palate.Vote{User: -1, Left: l, Right: r, Weight: 1}); err != nil {
				t.Fatal(err)
			}
		}
		d := built(t, b)
		if got := sidesOfItems(d); math.Abs(got-want) > 0.05 {
			t.Errorf("sides of items %.3f, not %.3f", got, want)
		}
	}
}
