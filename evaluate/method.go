package evaluate

import (
	"context"

	"palate"
)

// Predictor is what is asked of a fitted model, by several goroutines at once; a
// negative user stands for the consensus. Every model.Predictor is one.
type Predictor interface {
	// Prefer returns the probability that user picks left over right.
	Prefer(user, left, right int) float64
	// Utility returns mean and variance of the utility of an item to user.
	Utility(user, item int) (mean, variance float64)
}

// Method is a named way to learn from votes.
type Method struct {
	Name      string
	Yardstick bool // what a model has to beat
	Fit       func(ctx context.Context, train *palate.Dataset, seed uint64) (Predictor, error)
}

// asPredictor keeps a nil model from becoming an interface that is not nil.
func asPredictor[M Predictor](m M, err error) (Predictor, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
