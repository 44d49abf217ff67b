package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
	"palate/internal/num"
)

// What the left side is worth to voters, and how reliable they are, is within the stated intervals
// about as often as they say.
func TestTraitsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const items, voters, votes, seeds = 8, 30, 60, 3
	for _, world := range []struct {
		trait  string
		draw   func(rng *rand.Rand) float64
		chance func(d, truth float64) float64 // of left, d better
	}{
		{leanTrait, func(rng *rand.Rand) float64 { return 0.3 + 0.7*rng.NormFloat64() }, func(d, lean float64) float64 { return num.Phi(d + lean) }},
		{reliabilityTrait, func(rng *rand.Rand) float64 { return math.Exp(0.8 * rng.NormFloat64()) }, func(d, care float64) float64 { return num.Phi(care * d) }},
	} {
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
				truth[name] = world.draw(rng)
				for range votes {
					i := rng.IntN(items)
					j := (i + 1 + rng.IntN(items-1)) % items
					v := palate.Vote{User: u, Left: i, Right: j, Weight: 1, Outcome: palate.Right}
					if rng.Float64() < world.chance(0.4*float64(j-i), truth[name]) {
						v.Outcome = palate.Left
					}
					if err := b.Add(v); err != nil {
						t.Fatal(err)
					}
				}
			}
			traits, err := populationOf(t, built(t, b), nil).Traits(t.Context(), 0.9)
			if err != nil {
				t.Fatal(err)
			}
			k := slices.IndexFunc(traits, func(t Trait) bool { return t.Name == world.trait })
			if k < 0 || len(traits[k].Of) != voters {
				t.Fatalf("%s is not among %d traits", world.trait, len(traits))
			}
			for _, e := range traits[k].Of {
				if all++; e.Lo <= truth[e.Voter] && truth[e.Voter] <= e.Hi {
					held++
				}
			}
		}
		if share := held / all; math.Abs(share-0.9) > 0.08 {
			t.Errorf("%s: %.3f are within their 90%% intervals", world.trait, share)
		}
	}
}
