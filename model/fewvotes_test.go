package model

import (
	"math"
	"testing"

	"palate/internal/num"
)

// On ten votes a crowd is no surer of what a new voter prefers than it may be, whatever
// tastes it is told to expect: over many worlds the chances of the favourites are, on
// average, at most .05 above the truth, and below it by no more than twice that. Where
// voters differ the form that knows no difference is left out.
func TestFewVotes(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of all forms, which TestRoundTrips has as well")
	}
	const items, worlds = 5, 60
	for taste := WideTastes; taste <= SameTastes; taste++ {
		for _, apart := range []float64{0.01, 1} {
			if taste == SameTastes && apart == 1 {
				continue
			}
			var said, truth float64
			for seed := range uint64(worlds) {
				d, world := simulate(t, SimulateOptions{Model: "crowd", Items: items, Users: 3, Votes: 10, Taste: apart, Seed: seed})
				m := crowdOf(t, d, &CrowdOptions{Tastes: taste})
				for i := range items {
					for j := range i {
						p := m.Prefer(-1, i, j)
						q := num.Phi((world.Consensus[i] - world.Consensus[j]) / math.Sqrt(1+2*apart*apart))
						if p < 0.5 {
							p, q = 1-p, 1-q
						}
						said, truth = said+p, truth+q
					}
				}
			}
			const pairs = worlds * items * (items - 1) / 2
			if over := (said - truth) / pairs; over > 0.05 || over < -0.1 {
				t.Errorf("%v tastes, voters %g apart: a favourite of new voters wins with %.3f, and it says %.3f", taste, apart, truth/pairs, said/pairs)
			}
		}
	}
}
