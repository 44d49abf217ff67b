package paper

import (
	"fmt"
	"math"
	"math/rand/v2"

	"palate"
)

// How people of made-up worlds use a scale: its cut points, and the deviations of their offsets and of the logarithms
// of their spreads.
var starCuts = []float64{-1.5, -0.5, 0.5, 1.5}

const starOffset, starSpread = 0.5, 0.3

// rated draws ratings of items with utilities f, as such and as the pairs of each person's that differ.
func (s answersSet) rated(f []float64, rng *rand.Rand) (whole, pairs *palate.Dataset, err error) {
	one, two := palate.NewBuilder(), palate.NewBuilder()
	for i := range f {
		one.Item(fmt.Sprint(i))
		two.Item(fmt.Sprint(i))
	}
	for u := range s.count {
		one.User(fmt.Sprint(u))
		two.User(fmt.Sprint(u))
		offset, spread := starOffset*rng.NormFloat64(), math.Exp(starSpread*rng.NormFloat64())
		items, stars := rng.Perm(len(f))[:s.k], map[int]float64{}
		group := two.NewGroup()
		for k, i := range items {
			z, class := f[i]+offset+math.Sqrt(0.5)*rng.NormFloat64(), 1.0
			for _, c := range starCuts {
				if z > spread*c {
					class++
				}
			}
			stars[i] = class
			if err := one.Add(palate.Vote{User: u, Left: i, Right: i, Outcome: palate.Rated, Rating: class, Weight: 1}); err != nil {
				return nil, nil, err
			}
			for _, j := range items[:k] {
				v := palate.Vote{User: u, Left: i, Right: j, Weight: 1, Group: group, Unsided: true}
				switch {
				case stars[j] == class:
					continue
				case stars[j] > class:
					v.Outcome = palate.Right
				}
				if err := two.Add(v); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	if whole, err = one.Build(); err != nil {
		return nil, nil, err
	}
	pairs, err = two.Build()
	return whole, pairs, err
}
