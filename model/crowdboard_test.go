package model

import (
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"palate/internal/num"
)

// Intervals of a crowd's consensus and of personal boards cover what they say, nearly.
// With consensus and voters apart, as the crowd infers them, those of the consensus at
// 95 % cover 85 to 90.
func TestCrowdBoardsCover(t *testing.T) {
	if testing.Short() {
		t.Skip("fewer crowds say nothing of coverage")
	}
	const level, runs = 0.95, 40
	for name, o := range map[string]SimulateOptions{
		"factor":   {Model: "crowd", Factors: 1, Taste: 0.7},
		"own":      {Model: "population", Factors: 1, Taste: 0.7},
		"features": {Model: "crowd", Factors: 1, Taste: 0.7, Features: 2},
	} {
		o.Items, o.Users, o.Votes = 10, 20, 400
		var in, all [2][]float64 // of the consensus, and of somebody
		for k := range in {
			in[k], all[k] = make([]float64, runs), make([]float64, runs)
		}
		var failed sync.Map
		num.Parallel(runs, 1, func(run, _ int) {
			o := o
			o.Seed = uint64(run)
			d, truth, err := Simulate(t.Context(), o)
			if err != nil {
				failed.Store(run, err)
				return
			}
			m, err := FitCrowd(t.Context(), d, &CrowdOptions{Tastes: NarrowTastes, Smoothness: Smooth})
			if err != nil {
				failed.Store(run, err)
				return
			}
			everybody := slices.Clone(truth.Consensus)
			floats.Scale(newVoterUnit(truth.Personal), everybody)
			for k, f := range [][]float64{everybody, truth.Personal.RawRowView(run % o.Users)} {
				user := -1
				if k == 1 {
					user = run % o.Users
				}
				g := boardOf(t, m, user, &BoardOptions{Draws: 1000, Level: level, Seed: uint64(run)}).Groups[0]
				var mean float64
				for _, x := range f {
					mean += x / float64(len(f))
				}
				for _, r := range g.Rows {
					all[k][run]++
					if x := f[r.Item] - mean; r.Lo <= x && x <= r.Hi {
						in[k][run]++
					}
				}
			}
		})
		failed.Range(func(run, err any) bool { t.Errorf("%s, run %v: %v", name, run, err); return true })
		for k, what := range []string{"consensus", "personal"} {
			var a, b float64
			for run := range runs {
				a, b = a+in[k][run], b+all[k][run]
			}
			t.Logf("%s, %s: of %.0f intervals at 95 %% %.1f %% cover", name, what, b, 100*a/b)
			if math.Abs(a/b-level) > 0.04 {
				t.Errorf("%s, %s: intervals at 95 %% cover %.3f", name, what, a/b)
			}
		}
	}
}

// newVoterUnit is 1/√(1 + v), v the variance between people, a row each, of the difference of
// two items, its mean over all pairs.
func newVoterUnit(people *mat.Dense) float64 {
	users, items := people.Dims()
	var v float64
	differences := make([]float64, users)
	for i := range items {
		for j := range i {
			for u := range users {
				differences[u] = people.At(u, i) - people.At(u, j)
			}
			v += stat.Variance(differences, nil) / float64(items*(items-1)/2)
		}
	}
	return 1 / math.Sqrt(1+v)
}
