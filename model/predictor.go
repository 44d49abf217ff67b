package model

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Predictor is a fitted model as boards, strategies, reports and the server see
// it. Items and users are numbered as in the dataset that it was fitted to; a
// negative user stands for the consensus.
type Predictor interface {
	// NumItems returns the number of items.
	NumItems() int
	// ItemID returns the identifier of item i.
	ItemID(i int) string
	// Prefer returns the probability that user picks left over right, ties
	// apart.
	Prefer(user, left, right int) float64
	// Utility returns mean and variance of the utility of an item.
	Utility(user, item int) (mean, variance float64)
	// Draws returns joint draws of the utilities of all items for user.
	Draws(ctx context.Context, user, n int, rng *rand.Rand) (Draws, error)
	// Groups returns the items in groups within which utilities are comparable,
	// largest first; one group when all are.
	Groups() [][]int
	// Votes returns how many votes each item took part in.
	Votes() []float64
}

// Draws are joint posterior draws, a row each, with weights that sum to one.
type Draws struct {
	F      *mat.Dense
	Weight []float64
	// Alike marks the draws in which items do not differ and votes are coins; nil: there are
	// none. Utilities are all but the same there, in an order that is a guess.
	Alike []bool
	// ESS is the effective sample size of the weights.
	ESS float64
	// Mended reports whether the weights correct the Gaussian approximation;
	// when not, those above zero are equal, and the draws follow it.
	Mended bool
}

// Coins is the probability that items do not differ.
func (d Draws) Coins() (p float64) {
	for k, alike := range d.Alike {
		if alike {
			p += d.Weight[k]
		}
	}
	return min(p, 1)
}

// Different returns the draws given that items differ, which is what scores and their
// intervals are about; all of them where items never do.
func (d Draws) Different() Draws {
	p := d.Coins()
	if p == 0 || p > 1-1e-6 {
		return d
	}
	weight := make([]float64, len(d.Weight))
	for k, w := range d.Weight {
		if !d.Alike[k] {
			weight[k] = w / (1 - p)
		}
	}
	d.Weight, d.Alike, d.ESS = weight, nil, effective(weight)
	return d
}
