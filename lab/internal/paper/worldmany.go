package paper

import (
	"context"
	"math/rand/v2"

	"palate/kernel"
	"palate/lab/internal/worlds"
	"palate/model"
)

// manyPairs are the random pairs on which chances and the order of many items are held to the truth.
const manyPairs = 500

// tryMany fits a model to votes on many items, makes its board, and holds both to the truth, with what they cost. Links
// between items go the way that utilities spread in these worlds.
func tryMany(ctx context.Context, d *worlds.Drawn, name string, rng *rand.Rand) (worldResult, error) {
	clock := startMeter()
	m, err := fitNamed(ctx, d.Votes, name, model.Settings{Seed: rng.Uint64(), Links: d.Links, LinkKernel: manySpread(d)})
	if err != nil {
		return nil, err
	}
	board, err := model.NewBoard(ctx, m, -1, &model.BoardOptions{Seed: rng.Uint64()})
	if err != nil {
		return nil, err
	}
	var cost Figures
	clock.stop(&cost)
	result := worldResult{"cpu": cost[CPU], "peak": cost[Peak]}
	place := make([]float64, len(d.Target)) // of every item its score
	var items, held, width float64
	for _, g := range board.Groups {
		var mean float64
		for _, r := range g.Rows {
			mean += d.Target[r.Item] / float64(len(g.Rows))
		}
		for _, r := range g.Rows {
			place[r.Item] = r.Score
			if len(g.Rows) < 2 {
				continue
			}
			items++
			width += r.Hi - r.Lo
			if x := d.Target[r.Item] - mean; r.Lo <= x && x <= r.Hi {
				held++
			}
		}
	}
	result["coverage"], result["width"] = held/items, width/items
	for range manyPairs {
		a, b := rng.IntN(len(d.Target)), rng.IntN(len(d.Target)-1)
		if b >= a {
			b++
		}
		if place[a] < place[b] {
			a, b = b, a
		}
		result["tau"] += sign(d.Target[a]-d.Target[b]) / manyPairs
		p, truth := m.Prefer(-1, a, b), d.Chance(a, b)
		result["excess"] += divergence(truth, p) / manyPairs
		if p < 0.5 { // of the favourite
			p, truth = 1-p, 1-truth
		}
		result["overclaim"] += (p - truth) / manyPairs
	}
	return result, ctx.Err()
}

// manySpread is the regularised Laplacian, where there are links.
func manySpread(d *worlds.Drawn) kernel.Spread {
	if d.Links == nil {
		return 0
	}
	return kernel.Laplacian
}
