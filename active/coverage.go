package active

import (
	"context"
	"math"
	"math/rand/v2"
)

// Coverage asks the items with the fewest votes.
type Coverage struct{}

func (Coverage) start(_ context.Context, v *view, _ *rand.Rand) (scorer, error) {
	return rowFunc(func(dst []float64, i int, j []int, _, _, _ []float64) {
		for k, other := range j {
			dst[k] = -math.Log(2 + v.votes[i] + v.votes[other])
		}
	}), nil
}
