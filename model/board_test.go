package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate/internal/num"

	"gonum.org/v1/gonum/mat"

	"palate"
)

// Laws of a board, over some models: ranks are a permutation, intervals hold
// the score, probabilities sum, tiers descend.
func TestBoardLaws(t *testing.T) {
	for _, o := range []SimulateOptions{
		{Items: 2, Votes: 1, Seed: 1},
		{Items: 7, Votes: 3, Seed: 2},
		{Items: 12, Votes: 500, Seed: 3},
		{Items: 12, Votes: 200, Ties: 0.5, Features: 2, Seed: 4},
	} {
		d, _ := simulate(t, o)
		m := fit(t, d, nil)
		b := boardOf(t, m, -1, &BoardOptions{Top: 2, Seed: 5})
		items := 0
		for _, g := range b.Groups {
			var best, top float64
			tiers := 0
			for r, row := range g.Rows {
				items++
				best += row.PBest
				top += row.PTop
				if row.Rank != r+1 || row.ID != d.ItemID(row.Item) {
					t.Errorf("row %d: %+v", r, row)
				}
				if !(row.Lo <= row.Score && row.Score <= row.Hi && row.SD > 0) && len(g.Rows) > 1 {
					t.Errorf("score outside its interval: %+v", row)
				}
				if row.RankLo < 1 || row.RankHi > len(g.Rows) || row.RankLo > row.RankHi {
					t.Errorf("ranks: %+v", row)
				}
				if row.Tier < 1 || row.Tier > tiers+1 || r > 0 && row.Score > g.Rows[r-1].Score {
					t.Errorf("order: %+v after %+v", row, g.Rows[r-1])
				}
				tiers = max(tiers, row.Tier)
			}
			near(t, "P(best)", best, 1, 1e-9)
			near(t, "P(top 2)", top, math.Min(2, float64(len(g.Rows))), 1e-9)
		}
		if items != d.NumItems() {
			t.Errorf("%d of %d items on the board", items, d.NumItems())
		}
	}
}

// Swapping left and right of every vote turns the board around.
func TestBoardOfSwappedVotes(t *testing.T) {
	d, _ := simulate(t, SimulateOptions{Items: 10, Votes: 300, Seed: 6})
	swapped := palate.NewBuilder()
	for i := range d.NumItems() {
		swapped.Item(d.ItemID(i))
	}
	for _, v := range d.Votes() {
		v.Left, v.Right = v.Right, v.Left
		if err := swapped.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	s := built(t, swapped)
	up, down := boardOf(t, fit(t, d, nil), -1, nil).Groups[0].Rows, boardOf(t, fit(t, s, nil), -1, nil).Groups[0].Rows
	for r := range up {
		if up[r].ID != down[len(down)-1-r].ID {
			t.Errorf("place %d: %s, turned around %s", r+1, up[r].ID, down[len(down)-1-r].ID)
		}
	}
}

// Ten times the votes, a third of the width.
func TestIntervalsNarrow(t *testing.T) {
	few, _ := simulate(t, SimulateOptions{Items: 10, Votes: 400, Seed: 8})
	many, _ := simulate(t, SimulateOptions{Items: 10, Votes: 4000, Seed: 8})
	width := func(d *palate.Dataset) (w float64) {
		for _, r := range boardOf(t, fit(t, d, nil), -1, nil).Groups[0].Rows {
			w += r.Hi - r.Lo
		}
		return w
	}
	if ratio := width(few) / width(many); ratio < 2.3 || ratio > 4 {
		t.Errorf("intervals are %.2f times as wide with a tenth of the votes", ratio)
	}
}

// The smoothed weights of a light tail are the weights; a heavy tail is found.
func TestSmoothWeights(t *testing.T) {
	light, heavy := make([]float64, 4000), make([]float64, 4000)
	for k := range light {
		u := (float64(k) + 0.5) / 4000
		light[k] = math.Log(1 + u)
		heavy[k] = -math.Log(1 - u) // weights of tail shape 1
	}
	w, k := smoothWeights(light)
	if k > 0.5 {
		t.Errorf("light tail has shape %.2f", k)
	}
	near(t, "largest weight", w[3999]/w[0], 2, 0.01)
	if _, k = smoothWeights(heavy); k < 0.8 || k > 1.2 {
		t.Errorf("heavy tail has shape %.2f, want 1", k)
	}
}

// Score and rank lie in their intervals, whatever the level and however skewed
// the draws.
func TestBoardIntervalsHoldTheirEstimates(t *testing.T) {
	const draws, items = 400, 5
	rng := rand.New(rand.NewPCG(3, 1))
	d, err := evenDraws(mat.NewDense(draws, items, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := range draws {
		for i := range items {
			d.F.Set(k, i, math.Exp(float64(i)*rng.NormFloat64()))
		}
	}
	for _, level := range []float64{0.02, 0.5, 0.95} {
		g, _, err := rankGroup(t.Context(), d, d.Weight, num.Indices(items), BoardOptions{Level: level, Top: 2})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range g.Rows {
			if !(r.Lo <= r.Score && r.Score <= r.Hi) || r.Rank < r.RankLo || r.Rank > r.RankHi {
				t.Errorf("level %v: score %v from %v to %v, rank %d from %d to %d", level, r.Score, r.Lo, r.Hi, r.Rank, r.RankLo, r.RankHi)
			}
		}
	}
}

// What a row of a board says, by the definition of each figure: chances are the
// weight of the draws in which something is so, an interval leaves out less than
// or as much as its share at either end, and all that tiers claim holds together in
// the level's share of the draws.
func TestBoardByDefinition(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 2))
		all := 2 + rng.IntN(7)
		items := rng.Perm(all)[:2+rng.IntN(all-1)] // a group of a model's items
		d := Draws{F: mat.NewDense(1+rng.IntN(60), all, nil)}
		draws, _ := d.F.Dims()
		var sum float64
		for k := range draws {
			d.Weight = append(d.Weight, rng.ExpFloat64())
			sum += d.Weight[k]
			for i := range all {
				d.F.Set(k, i, 10+float64(i)*rng.Float64()+rng.NormFloat64())
			}
		}
		for k := range draws {
			d.Weight[k] /= sum
		}
		o := BoardOptions{Level: []float64{0.5, 0.8, 0.95}[rng.IntN(3)], Top: 1 + rng.IntN(4)}
		// weight is that of the draws in which something holds.
		weight := func(holds func(f []float64) bool) (w float64) {
			for k := range draws {
				if holds(d.F.RawRowView(k)) {
					w += d.Weight[k]
				}
			}
			return w
		}
		rank := func(f []float64, item int) int {
			r := 1
			for _, other := range items {
				if f[other] > f[item] {
					r++
				}
			}
			return r
		}
		score := func(f []float64, item int) float64 {
			var mean float64
			for _, other := range items {
				mean += f[other]
			}
			return f[item] - mean/float64(len(items))
		}
		g, scores, err := rankGroup(t.Context(), d, d.Weight, items, o)
		if err != nil {
			t.Fatal(err)
		}
		rows := g.Rows
		for r, tier := range tiers([][][]float64{scores}, d.Weight, o.Level)[0] {
			rows[r].Tier = tier
		}
		out := (1 - o.Level) / 2
		var first []int // items of the tiers
		for _, row := range rows {
			if row.Tier > len(first) {
				first = append(first, row.Item)
			}
		}
		claims := func(f []float64) bool { // those of the tiers
			for _, row := range rows {
				for _, above := range first[:row.Tier-1] {
					if f[above] <= f[row.Item] {
						return false
					}
				}
			}
			return true
		}
		if p := weight(claims); p < o.Level-1e-9 {
			t.Errorf("seed %d: the tiers' claims hold together with %v, level %v", seed, p, o.Level)
		}
		for r, row := range rows {
			item := row.Item
			near(t, "P(best)", row.PBest, weight(func(f []float64) bool { return rank(f, item) == 1 }), 1e-12)
			near(t, "P(top)", row.PTop, weight(func(f []float64) bool { return rank(f, item) <= o.Top }), 1e-12)
			var mean, square float64
			for k := range draws {
				u := score(d.F.RawRowView(k), item)
				mean += d.Weight[k] * u
				square += d.Weight[k] * u * u
			}
			near(t, "score", row.Score, mean, 1e-12)
			near(t, "sd", row.SD*row.SD, square-mean*mean, 1e-12)
			lo, hi := row.Rank, row.Rank // the interval holds the rank itself
			for at := 1; at <= len(items); at++ {
				below := weight(func(f []float64) bool { return rank(f, item) < at })
				above := weight(func(f []float64) bool { return rank(f, item) > at })
				if below <= out+1e-12 && 1-above > out+1e-12 {
					lo = min(lo, at)
				}
				if above <= out+1e-12 && 1-below > out+1e-12 {
					hi = max(hi, at)
				}
			}
			if row.RankLo != lo || row.RankHi != hi {
				t.Errorf("seed %d: rank %d from %d to %d, by definition from %d to %d", seed, row.Rank, row.RankLo, row.RankHi, lo, hi)
			}
			for _, end := range []struct {
				name  string
				at, p float64
			}{{"lower", row.Lo, out}, {"upper", row.Hi, 1 - out}} {
				if end.at == row.Score {
					continue // stretched to the score
				}
				less := weight(func(f []float64) bool { return score(f, item) < end.at-1e-9 })
				most := weight(func(f []float64) bool { return score(f, item) <= end.at+1e-9 })
				if less >= end.p || most < end.p-1e-12 {
					t.Errorf("seed %d: the %s end leaves %v to %v below it, want %v", seed, end.name, less, most, end.p)
				}
			}
			if row.Tier < len(first) && first[row.Tier-1] != item && weight(func(f []float64) bool { return f[first[row.Tier-1]] > f[item] }) == 1 {
				t.Errorf("seed %d: place %d is in tier %d, below whose first item it is in all draws", seed, r+1, row.Tier)
			}
		}
	}
}

// Tiers claim of every item what they claim of their first: an item of few votes whose
// score is low stays in the tier that it may belong to, behind items of later ones.
func TestTiersOfUncertainItems(t *testing.T) {
	const draws = 2000
	rng := rand.New(rand.NewPCG(4, 1))
	spread := []float64{0.1, 0.1, 2, 0.1}
	mean := []float64{3, 1, 0.5, -1}
	scores := make([][]float64, len(mean))
	weight := make([]float64, draws)
	for k := range weight {
		weight[k] = 1.0 / draws
		for i := range scores {
			scores[i] = append(scores[i], mean[i]+spread[i]*rng.NormFloat64())
		}
	}
	got := tiers([][][]float64{scores, scores}, weight, 0.95)
	for g := range got {
		if want := []int{1, 2, 1, 3}; !slices.Equal(got[g], want) {
			t.Errorf("group %d has tiers %v, want %v", g, got[g], want)
		}
	}
}
