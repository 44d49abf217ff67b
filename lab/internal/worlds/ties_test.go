package worlds

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/model"
)

// Ties do not harm what is said of votes that are none, whether they come by a margin or
// as Davidson has them: chances are as near the truth as of the same votes without them.
func TestTiesDoNotHarm(t *testing.T) {
	const runs = 12
	for _, w := range Boards() {
		if !strings.HasPrefix(w.Name, "ties") {
			continue
		}
		var with, without float64 // nats of a pair above the truth's
		for run := range uint64(runs) {
			d, err := w.Draw(t.Context(), rand.New(rand.NewPCG(run, 0x71e)))
			if err != nil {
				t.Fatal(err)
			}
			var decided []int
			for k, v := range d.Votes.Votes() {
				if v.Outcome != palate.Tie {
					decided = append(decided, k)
				}
			}
			excess := func(votes *palate.Dataset) (sum float64) {
				m, err := model.FitSingle(t.Context(), votes, nil)
				if err != nil {
					t.Fatal(err)
				}
				n := votes.NumItems()
				for a := range n {
					for b := range a {
						p, q := d.Chance(a, b), m.Prefer(-1, a, b)
						sum += p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q))
					}
				}
				return sum / float64(n*(n-1)/2*runs)
			}
			with += excess(d.Votes)
			without += excess(d.Votes.Select(decided))
		}
		t.Logf("%s: %.4f nats above the truth, %.4f without ties", w.Name, with, without)
		if with > without+0.001 {
			t.Errorf("%s: %.4f nats above the truth, and %.4f without ties", w.Name, with, without)
		}
	}
}
