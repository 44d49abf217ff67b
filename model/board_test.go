package model

import (
	"math"
	"math/rand/v2"
	"testing"

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
		b := NewBoard(m, -1, &BoardOptions{Top: 2, Seed: 5})
		items := 0
		for _, g := range b.Groups {
			var best, top float64
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
				if r > 0 && (row.Tier < g.Rows[r-1].Tier || row.Tier > g.Rows[r-1].Tier+1 || row.Score > g.Rows[r-1].Score) {
					t.Errorf("order: %+v after %+v", row, g.Rows[r-1])
				}
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
	s, err := swapped.Build()
	if err != nil {
		t.Fatal(err)
	}
	up, down := NewBoard(fit(t, d, nil), -1, nil).Groups[0].Rows, NewBoard(fit(t, s, nil), -1, nil).Groups[0].Rows
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
		for _, r := range NewBoard(fit(t, d, nil), -1, nil).Groups[0].Rows {
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
	d := evenDraws(mat.NewDense(draws, items, nil))
	for k := range draws {
		for i := range items {
			d.F.Set(k, i, math.Exp(float64(i)*rng.NormFloat64()))
		}
	}
	for _, level := range []float64{0.02, 0.5, 0.95} {
		for _, r := range rankGroup(d, everything(items), BoardOptions{Level: level, Top: 2}).Rows {
			if !(r.Lo <= r.Score && r.Score <= r.Hi) || r.Rank < r.RankLo || r.Rank > r.RankHi {
				t.Errorf("level %v: score %v from %v to %v, rank %d from %d to %d", level, r.Score, r.Lo, r.Hi, r.Rank, r.RankLo, r.RankHi)
			}
		}
	}
}
