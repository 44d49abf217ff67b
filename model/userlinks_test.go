package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/kernel"
)

// circles are voters in circles of friends, which share half of their taste. Four
// links in five are within a circle. The last of the voters have no votes.
func circles(t testing.TB, seed uint64, alike float64) (d *palate.Dataset, g *kernel.Graph, truth *mat.Dense, silent int) {
	t.Helper()
	const users, quiet, sets, items, votes = 150, 30, 5, 12, 6
	rng := rand.New(rand.NewPCG(seed, 8))
	consensus, taste := make([]float64, items), mat.NewDense(sets, items, nil)
	for i := range items {
		consensus[i] = rng.NormFloat64()
		for s := range sets {
			taste.Set(s, i, rng.NormFloat64())
		}
	}
	b := palate.NewBuilder()
	for i := range items {
		b.Item(fmt.Sprint("item", i))
	}
	truth = mat.NewDense(users, items, nil)
	set := make([]int, users)
	for u := range users {
		b.User(fmt.Sprint("user", u))
		set[u] = rng.IntN(sets)
		for i := range items {
			truth.Set(u, i, consensus[i]+2*(alike*taste.At(set[u], i)+(1-alike)*rng.NormFloat64()))
		}
		for k := 0; k < votes && u < users-quiet; {
			v := palate.Vote{User: u, Left: rng.IntN(items), Right: rng.IntN(items), Weight: 1}
			if v.Left == v.Right {
				continue
			}
			if truth.At(u, v.Left)-truth.At(u, v.Right)+rng.NormFloat64() < 0 {
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
			k++
		}
	}
	var edges []kernel.Edge
	for len(edges) < 4*users {
		i, j := rng.IntN(users), rng.IntN(users)
		if i != j && (set[i] == set[j] || rng.IntN(5) == 0 && rng.IntN(sets) == 0) {
			edges = append(edges, kernel.Edge{From: i, To: j, Weight: 1})
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if g, err = kernel.NewGraph(users, edges); err != nil {
		t.Fatal(err)
	}
	return d, g, truth, users - quiet
}

// right is the share of pairs that a model orders as users from lo on do.
func right(m Predictor, truth *mat.Dense, lo, hi int) float64 {
	_, items := truth.Dims()
	var good, all float64
	for u := lo; u < hi; u++ {
		for i := range items {
			for j := range i {
				all++
				if (m.Prefer(u, i, j) > 0.5) == (truth.At(u, i) > truth.At(u, j)) {
					good++
				}
			}
		}
	}
	return good / all
}

// Links between voters who are alike help to know those with few votes, and
// those with none; links that say nothing do no harm to speak of.
func TestUserLinks(t *testing.T) {
	for _, c := range []struct {
		alike    float64
		new, old float64 // what links must add for voters without votes and with some
	}{{0.7, 0.04, 0.01}, {0, -0.015, -0.015}} {
		var gain [2]float64
		const seeds = 3
		for seed := range uint64(seeds) {
			d, g, truth, silent := circles(t, seed+1, c.alike)
			users, _ := truth.Dims()
			with := populationOf(t, d, &PopulationOptions{UserLinks: g})
			without := populationOf(t, d, nil)
			gain[0] += (right(with, truth, silent, users) - right(without, truth, silent, users)) / seeds
			gain[1] += (right(with, truth, 0, silent) - right(without, truth, 0, silent)) / seeds
		}
		t.Logf("alike %v: links add %.3f for voters without votes, %.3f for others", c.alike, gain[0], gain[1])
		if gain[0] < c.new || gain[1] < c.old {
			t.Errorf("alike %v: links add %.3f for voters without votes, %.3f for others", c.alike, gain[0], gain[1])
		}
	}
	d, g, _, _ := circles(t, 1, 1)
	if _, err := FitPopulation(context.Background(), d, &PopulationOptions{UserLinks: g, Covariance: FullCovariance}); err == nil {
		t.Error("a full covariance took links between users")
	}
	few, _ := kernel.NewGraph(3, nil)
	if _, err := FitPopulation(context.Background(), d, &PopulationOptions{UserLinks: few}); err == nil {
		t.Error("links of other users were taken")
	}
}
