package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A board about these voters covers the mean of their utilities, and is more certain than
// one about people like them.
func TestTheseVoters(t *testing.T) {
	var covered, all, narrower float64
	const runs = 12
	for run := range runs {
		crowd := madeUp{voters: 5, items: 8, votes: 500, own: 1}
		d, truth := crowd.draw(t, rand.New(rand.NewPCG(uint64(run), 77)))
		m := fit(t, d, nil)
		these, err := m.TheseVoters()
		if err != nil {
			t.Fatal(err)
		}
		unit := Dependence{Taste: 1}.unit()
		people, err := NewBoard(t.Context(), m, -1, &BoardOptions{Draws: 1000})
		if err != nil {
			t.Fatal(err)
		}
		board, err := NewBoard(t.Context(), these, -1, &BoardOptions{Draws: 1000})
		if err != nil {
			t.Fatal(err)
		}
		mean := make([]float64, crowd.items)
		var centre float64
		for _, u := range truth {
			for i, x := range u {
				mean[i] += x * unit / float64(len(truth))
				centre += x * unit / float64(len(truth)*len(u))
			}
		}
		var wide, narrow float64
		for k, row := range board.Groups[0].Rows {
			all++
			if x := mean[row.Item] - centre; row.Lo <= x && x <= row.Hi {
				covered++
			}
			narrow += row.SD
			wide += people.Groups[0].Rows[k].SD
		}
		if narrow < wide {
			narrower++
		}
	}
	if share := covered / all; share < 0.85 || math.IsNaN(share) {
		t.Errorf("intervals cover the voters' means in %.3f of cases", share)
	}
	if narrower < runs {
		t.Errorf("boards about these voters are narrower in %v of %d cases", narrower, runs)
	}
	if _, err := fit(t, electorate{items: 5, votes: 40}.draw(t), nil).TheseVoters(); err == nil {
		t.Error("votes without voters are about some")
	}
}
