package active

import (
	"context"
	"math/rand/v2"
)

// Uncertainty asks the pair whose outcome is the most open: a win probability
// nearest to one half. It does not care why that is so, and goes on asking pairs
// that are known to be equal.
type Uncertainty struct{}

func (Uncertainty) start(context.Context, *view, *rand.Rand) (scorer, error) {
	return rowFunc(func(dst []float64, _ int, _ []int, d, v, _ []float64) {
		for k := range dst {
			dst[k] = -0.5 * d[k] * d[k] / (1 + v[k])
		}
	}), nil
}
