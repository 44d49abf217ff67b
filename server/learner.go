package server

import (
	"context"

	"palate"
	"palate/model"
)

// learner is the model of a board that learns vote by vote, between fits.
type learner interface {
	model.Predictor
	Observe(palate.Vote) error
	Forget(palate.Vote) error
}

// manyItems is from how many items on every item is moved by its own votes only until
// the next fit: nothing grows with the square of the items then.
const manyItems = 1000

// newLearner starts at the prior.
func newLearner(ids []string, f *palate.Features) (learner, error) {
	if len(ids) > manyItems {
		return model.NewItemwise(ids, firstVariance, firstTies)
	}
	k, x := model.DefaultKernel(len(ids), f)
	return model.NewLinked(ids, k, x, &model.LinkedOptions{Threshold: firstTies})
}

// goOn starts where a fit ended.
func goOn(ctx context.Context, fit *model.Single) (learner, error) {
	if fit.NumItems() > manyItems {
		return fit.Itemwise(ctx)
	}
	return fit.Online()
}

// frozen returns a model as it is now, which nothing changes any more.
func frozen(m learner) model.Predictor {
	switch m := m.(type) {
	case *model.Itemwise:
		return m.Frozen()
	case *tried:
		return m.frozen()
	}
	return m.(*model.Linked).Frozen()
}

const (
	// firstTies is the margin of ties before any fit, in units of noise; firstVariance is
	// the variance of utilities, that of model.DefaultKernel without features.
	firstTies, firstVariance = 0.2, 2
	// newsMost is how many votes a refit takes in on top, at most: another refit is
	// quicker than folding in more, unless every item moves alone.
	newsMost, newsMany = 1000, 100_000
)

// newsOf is how many votes a refit of a board of so many items takes in on top.
func newsOf(items int) int {
	if items > manyItems {
		return newsMany
	}
	return newsMost
}

// weighedVotes is up to how many votes the draws of a leaderboard are weighed by their
// likelihood: with more of them it takes a second, and the Gaussian is as good.
const weighedVotes = 100_000

// weighed reports whether a leaderboard is made from a fit itself, and not from the
// Gaussian where it ended. Draws of many items come from the fit, which has their
// covariances.
func weighed(fit *model.Single) bool {
	return fit.NumItems() > manyItems || fit.Fit().Votes <= weighedVotes
}

// Ranked returns the model that the leaderboard of a fit is made from.
func Ranked(ctx context.Context, fit *model.Single) (model.Predictor, error) {
	if weighed(fit) {
		return fit, nil
	}
	m, err := goOn(ctx, fit)
	if err != nil {
		return nil, err
	}
	return frozen(m), nil
}

// shortlist is among how many items of a board the next pair is looked for, see
// active.Options.
func shortlist(items int) int {
	if items > manyItems {
		return 300
	}
	return 0
}
