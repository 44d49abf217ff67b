package tuning

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate/tune"
)

// TestTops: the tops are where the literature has them, and nothing is above.
func TestTops(t *testing.T) {
	at := map[string]tune.Point{
		"branin":    {math.Pi, 2.275},
		"hartmann3": {0.114614, 0.555649, 0.852547},
		"hartmann6": {0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573},
		"ackley5":   {0, 0, 0, 0, 0},
		"levy8":     {1, 1, 1, 1, 1, 1, 1, 1},
		"mixed":     {0.114614, 0.555649, 0.852547, 1, 3},
		"few":       {0.5, 0.20169, 0.1, 0.150011, 0.9, 0, 0.476874, 1, 0.275332, 0.3},
		"known":     {0.20169, 0.150011, 0.476874, 0.275332},
	}
	all, err := Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, p := range all {
		if v := p.Value(at[p.Name]); math.Abs(v-p.Top) > 2e-5 {
			t.Errorf("%s: %.9g at its top, want %.9g", p.Name, v, p.Top)
		}
		for range 1000 {
			if v := p.Value(p.Space.Sample(rng)); v > p.Top {
				t.Errorf("%s: %g is above the top %g", p.Name, v, p.Top)
			}
		}
	}
}
