package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate/internal/num"
)

// Scores of everybody are in units of the noise of a new voter's vote, by whatever model: a lead
// wins as many votes as Φ says of it, as nearly as one unit for all pairs allows.
func TestUnitIsANewVoters(t *testing.T) {
	d, _, err := Simulate(t.Context(), SimulateOptions{Model: "population", Items: 10, Users: 60, Votes: 1500, Taste: 1.2, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"single", "population", "crowd", "average"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := e.Fit(t.Context(), d, &Settings{})
		if err != nil {
			t.Fatal(err)
		}
		draws, err := m.Draws(t.Context(), -1, 2000, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var off, worst float64
		for a := range 10 {
			for b := range a {
				var said float64
				for k, w := range draws.Weight {
					said += w * num.Phi(draws.F.At(k, a)-draws.F.At(k, b))
				}
				d := said - m.Prefer(-1, a, b)
				off += d * d / 45
				worst = max(worst, math.Abs(d))
			}
		}
		if off = math.Sqrt(off); off > 0.04 || worst > 0.1 {
			t.Errorf("%s: chances by scores are off by %.3f, at worst by %.3f", name, off, worst)
		}
		t.Logf("%s: %.4f, %.4f", name, off, worst)
	}
}
