package active

import (
	"context"
	"math/rand/v2"
)

// Strategy says what the answer to a pair is worth. It is sealed: strategies share what
// the search has found out of all pairs; those there are are types of this package.
type Strategy interface {
	// start looks at the items once and returns the scorer of their pairs.
	start(ctx context.Context, v *view, rng *rand.Rand) (scorer, error)
}

// scorer scores pairs, a row at a time: those of item i with the items j, which
// come after it. d and v are mean and variance of their differences in utility,
// and need what a score must reach to matter: below it any score below it will
// do. Scores are logarithms.
type scorer interface {
	row(dst []float64, i int, j []int, d, v, need []float64)
}

// rowFunc is a scorer that needs no state.
type rowFunc func(dst []float64, i int, j []int, d, v, need []float64)

func (f rowFunc) row(dst []float64, i int, j []int, d, v, need []float64) { f(dst, i, j, d, v, need) }

// propensity is a scorer that knows how likely it was to put a pair first, where
// that is not one over the number of pairs that tie for it.
type propensity interface {
	propensity(i, j int) float64
}
