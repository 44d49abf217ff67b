package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
)

// Populations and crowds learn from ties that tell how near items are, and not from those
// that voters call whatever the two are.
func TestTiesThatTeach(t *testing.T) {
	draw := func(tie func(z float64, rng *rand.Rand) bool) *palate.Dataset {
		rng := rand.New(rand.NewPCG(4, 0x7e5))
		b := palate.NewBuilder()
		const items = 8
		good := make([]float64, items)
		for i := range good {
			good[i] = 2 * rng.NormFloat64()
			b.Item(fmt.Sprint("item ", i))
		}
		for u := range 30 {
			own := make([]float64, items)
			for i := range own {
				own[i] = good[i] + 0.5*rng.NormFloat64()
			}
			for range 40 {
				v := palate.Vote{User: b.User(fmt.Sprint("voter ", u)), Left: rng.IntN(items), Weight: 1}
				v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
				switch z := own[v.Left] - own[v.Right] + rng.NormFloat64(); {
				case tie(z, rng):
					v.Outcome = palate.Tie
				case z < 0:
					v.Outcome = palate.Right
				}
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
		}
		return built(t, b)
	}
	near := draw(func(z float64, _ *rand.Rand) bool { return math.Abs(z) < 1.5 })
	lapse := draw(func(_ float64, rng *rand.Rand) bool { return rng.Float64() < 0.5 })
	for _, c := range []struct {
		d       *palate.Dataset
		without bool
	}{{near, false}, {lapse, true}} {
		m := populationOf(t, c.d, nil)
		f := m.Fit()
		if m.withoutTies != c.without || (f.Threshold == 0) != c.without || f.Ties == 0 {
			t.Errorf("without ties: %v, want %v; threshold %g, %g ties", m.withoutTies, c.without, f.Threshold, f.Ties)
		}
		some := []palate.Vote{{Left: 0, Right: 1, Outcome: palate.Tie}, {Left: 1, Right: 2}}
		if _, err := m.FoldIn(some, nil); err != nil {
			t.Errorf("a newcomer who ties: %v", err)
		}
		crowd := crowdOf(t, c.d, nil)
		if g := crowd.Fit(); (g.Threshold == 0) != c.without || g.Ties != f.Ties || g.Votes != f.Votes {
			t.Errorf("a crowd without ties: %v; threshold %g, %g ties of %g votes", c.without, g.Threshold, g.Ties, g.Votes)
		}
		if _, err := crowd.FoldIn(some, nil); err != nil {
			t.Errorf("a newcomer to a crowd who ties: %v", err)
		}
		if c.without { // it is the crowd of the other votes
			plain := crowdOf(t, withoutTies(c.d), nil)
			if a, b := crowd.Prefer(3, 0, 1), plain.Prefer(3, 0, 1); a != b {
				t.Errorf("%v, and %v without ties", a, b)
			}
		}
	}
}
