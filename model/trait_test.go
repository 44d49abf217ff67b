package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/internal/num"
)

// What the left side is worth to voters is within the stated intervals about as often as they say.
func TestTraitsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const items, voters, votes, seeds = 8, 30, 60, 3
	var held, all float64
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 9))
		b := palate.NewBuilder()
		truth := map[string]float64{}
		for i := range items {
			b.Item(fmt.Sprint("item", i))
		}
		for u := range voters {
			name := fmt.Sprint("voter", u)
			b.User(name)
			truth[name] = 0.3 + 0.7*rng.NormFloat64()
			for range votes {
				i := rng.IntN(items)
				j := (i + 1 + rng.IntN(items-1)) % items
				v := palate.Vote{User: u, Left: i, Right: j, Weight: 1, Outcome: palate.Right}
				if rng.Float64() < num.Phi(0.4*float64(j-i)+truth[name]) {
					v.Outcome = palate.Left
				}
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
		}
		d := built(t, b)
		m := populationOf(t, d, nil)
		traits, err := m.Traits(t.Context(), 0.9)
		if err != nil || len(traits) != 1 || len(traits[0].Of) != voters {
			t.Fatalf("%d traits, %v", len(traits), err)
		}
		for _, e := range traits[0].Of {
			if all++; e.Lo <= truth[e.Voter] && truth[e.Voter] <= e.Hi {
				held++
			}
		}
	}
	if share := held / all; math.Abs(share-0.9) > 0.08 {
		t.Errorf("%.3f of the leans are within their 90%% intervals", share)
	}
}
