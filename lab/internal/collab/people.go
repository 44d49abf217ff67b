package collab

import (
	"math/rand/v2"
	"slices"

	"palate"
	"palate/population"
)

// capped returns the same people with at most limit of their pairs each, drawn at random
// (COLLAB §5.2).
func capped(p *population.People, limit int, rng *rand.Rand) *population.People {
	var tallies []palate.Tally
	for u := range p.Len() {
		var own []palate.Tally
		for _, pair := range p.Pairs(u) {
			own = append(own, palate.Tally{User: p.Owner(u), A: pair.Win, B: pair.Lose, Weight: pair.Count * p.Kinds()[pair.Kind].Power})
		}
		chosen := rng.Perm(len(own))
		chosen = chosen[:min(limit, len(chosen))]
		slices.Sort(chosen)
		for _, k := range chosen {
			tallies = append(tallies, own[k])
		}
	}
	s, err := population.NewPeople(p.NumItems(), tallies)
	if err != nil {
		panic(err) // no more than there was
	}
	return s
}
