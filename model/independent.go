package model

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// independent are normal utilities of items, each independent of the others and the same for any user.
type independent struct{ mean, variance []float64 }

// Utility returns mean and variance of an item's utility.
func (x independent) Utility(_, item int) (mean, variance float64) {
	return x.mean[item], x.variance[item]
}

// UtilitiesTo sets mean and variance to those of all items.
func (x independent) UtilitiesTo(ctx context.Context, mean, variance []float64, _ int) error {
	copy(mean, x.mean)
	copy(variance, x.variance)
	return ctx.Err()
}

// CovarianceTo sets dst to zero but where an item meets itself.
func (x independent) CovarianceTo(dst []float64, _, item int, others []int) {
	for k, j := range others {
		dst[k] = 0
		if j == item {
			dst[k] = x.variance[item]
		}
	}
}

// Draws returns independent draws.
func (x independent) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	f := mat.NewDense(n, len(x.mean), nil)
	for k := range n {
		if err := ctx.Err(); err != nil {
			return Draws{}, err
		}
		row := f.RawRowView(k)
		for i := range row {
			row[i] = x.mean[i] + math.Sqrt(x.variance[i])*rng.NormFloat64()
		}
	}
	return evenDraws(f, nil)
}
