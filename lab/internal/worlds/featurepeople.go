package worlds

import (
	"fmt"
	"math/rand/v2"

	"palate/internal/num"
)

// Sizes of the worlds of voters with tastes of items with features.
const (
	tastingItems  = 40
	tastingDims   = 6
	tastingVoters = 40
	tastingVotes  = 25
)

// describedPeople are the worlds of voters who share utilities of the deviation 1 and have tastes
// of the same deviation beside, both of the features or of each item's own.
func describedPeople() (all []World) {
	truths := describedTruths()
	linear, smooth, irrelevant := truths[0], truths[1], truths[5]
	ideal := described{"ideal", "−|x − y|² in two features, y of the voter's own", 0, func(_ int, rng *rand.Rand) func([]float64) float64 {
		y1, y2 := rng.Float64(), rng.Float64()
		return func(x []float64) float64 { return -(x[0]-y1)*(x[0]-y1) - (x[1]-y2)*(x[1]-y2) }
	}}
	none := described{name: "none"}
	for _, w := range [][2]described{
		{linear, linear}, {linear, irrelevant}, {linear, none},
		{smooth, linear}, {smooth, ideal}, {smooth, irrelevant},
		{irrelevant, linear}, {irrelevant, irrelevant},
	} {
		name := fmt.Sprintf("people-%s-%s", w[0].name, w[1].name)
		about := fmt.Sprintf("%d items, %d features, %d voters × %d votes, tastes by the second", tastingItems, tastingDims, tastingVoters, tastingVotes)
		world := always("features", name, about, false, func(rng *rand.Rand) *Drawn { return drawTasting(w[0], w[1], rng) })
		world.Personal = true
		all = append(all, world)
	}
	return all
}

// drawTasting draws as many new items as known ones, and voters.
func drawTasting(common, taste described, rng *rand.Rand) *Drawn {
	const n = tastingItems
	f := uniform(2*n, tastingDims, rng)
	u := common.utilities(f, 1, rng)
	utilities := make([][]float64, tastingVoters)
	var votes []vote
	for k := range utilities {
		if utilities[k] = u; taste.of != nil || taste.own > 0 {
			utilities[k] = plus(u, taste.utilities(f, 1, rng))
		}
		for range tastingVotes {
			a, b := pair(n, rng)
			votes = append(votes, vote{k, a, b, answer(num.Phi(utilities[k][a]-utilities[k][b]), rng)})
		}
	}
	rng.Shuffle(len(votes), func(i, j int) { votes[i], votes[j] = votes[j], votes[i] })
	known, later := parted(f)
	d := &Drawn{Votes: castWith(n, tastingVoters, votes, known), Later: later}
	for k := range 2 * describedAsked {
		q := Question{User: rng.IntN(tastingVoters)}
		if q.Left, q.Right = pair(n, rng); k >= describedAsked {
			q.Left, q.Right = n+q.Left, n+q.Right
		}
		q.Chance = num.Phi(utilities[q.User][q.Left] - utilities[q.User][q.Right])
		d.Asked = append(d.Asked, q)
	}
	return d
}
