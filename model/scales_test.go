package model

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"

	"palate/internal/num"
)

// Where the scale is drawn from its prior and learnt from the votes, 10 items and
// 15 votes, the intervals of scores cover what they say. Taken as given, the
// learnt scale leaves 86 % of 95.
func TestLearntScaleIsUncertain(t *testing.T) {
	const items, votes, level = 10, 15, 0.95
	runs := 200
	if testing.Short() {
		runs = 100
	}
	covered, scores := make([]int, runs), make([]int, runs)
	var failed sync.Map
	num.Parallel(runs, 1, func(run, _ int) {
		scale := rand.New(rand.NewPCG(uint64(run), 11)).ExpFloat64() // Gamma(1, 1)
		d, truth, err := Simulate(t.Context(), SimulateOptions{Items: items, Votes: votes, Spread: 1 / math.Sqrt(scale), Seed: uint64(run)})
		if err != nil {
			failed.Store(run, err)
			return
		}
		m, err := FitSingle(t.Context(), d, nil)
		if err != nil {
			failed.Store(run, err)
			return
		}
		for _, g := range boardOf(t, m, -1, &BoardOptions{Draws: 1000, Level: level, Seed: uint64(run)}).Groups {
			var mean float64
			for _, r := range g.Rows {
				mean += truth.Consensus[r.Item] / float64(len(g.Rows))
			}
			for _, r := range g.Rows {
				if x := truth.Consensus[r.Item] - mean; len(g.Rows) > 1 {
					scores[run]++
					if r.Lo <= x && x <= r.Hi {
						covered[run]++
					}
				}
			}
		}
	})
	failed.Range(func(run, err any) bool { t.Errorf("run %v: %v", run, err); return true })
	var in, all float64
	for run := range runs {
		in, all = in+float64(covered[run]), all+float64(scores[run])
	}
	t.Logf("of %.0f intervals at 95 %% %.1f %% cover", all, 100*in/all)
	if math.Abs(in/all-level) > 0.02 {
		t.Errorf("intervals at 95 %% cover %.3f", in/all)
	}
}

// A model that was given its scale draws at that scale only, and a file keeps which
// it was.
func TestGivenScaleIsKnown(t *testing.T) {
	d, _, err := Simulate(t.Context(), SimulateOptions{Items: 8, Votes: 30, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{0, 0.8} {
		m := fit(t, d, &Options{Scale: scale})
		s, err := m.scales(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		known := map[float64]bool{} // whatever sides do
		for _, q := range s.at {
			known[q.Scale] = true
		}
		if (len(known) == 1) != (scale != 0) {
			t.Errorf("scale %g: scales %v to draw from", scale, known)
		}
		again := reopened(t, m)
		x := drawsOf(t, m, -1, 200, rand.New(rand.NewPCG(1, 2)))
		y := drawsOf(t, again, -1, 200, rand.New(rand.NewPCG(1, 2)))
		for k, w := range x.Weight {
			if math.Abs(w-y.Weight[k]) > 1e-12 || math.Abs(x.F.At(k, 0)-y.F.At(k, 0)) > 1e-12 {
				t.Fatalf("scale %g: draw %d is %g with weight %g, from a file %g with %g", scale, k, x.F.At(k, 0), w, y.F.At(k, 0), y.Weight[k])
			}
		}
	}
}
