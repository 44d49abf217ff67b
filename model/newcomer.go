package model

import (
	"context"
	"math/rand/v2"

	"palate"
)

// Newcomer is somebody whom a model was not fitted to.
type Newcomer interface {
	// Prefer returns the probability that the person picks left over right.
	Prefer(left, right int) float64
	// Utility returns mean and variance of the utility of an item.
	Utility(item int) (mean, variance float64)
	// Draws returns joint draws of the utilities of all items.
	Draws(ctx context.Context, n int, rng *rand.Rand) (Draws, error)
	// Alone returns a predictor that knows only this person, whatever user it is asked
	// about; one that is Joint where the model is.
	Alone() Predictor
}

// Welcomer is a model that takes in somebody new without a refit, from a few
// votes, from features as wide as those of the fit, or from both; nil features
// are not known.
type Welcomer interface {
	FoldIn(votes []palate.Vote, features []float64) (Newcomer, error)
}

var (
	_ Welcomer = (*Population)(nil)
	_ Welcomer = (*Crowd)(nil)
	_ Welcomer = (*Average)(nil)
	_ Welcomer = (*Rated)(nil)
)
