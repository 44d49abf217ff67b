package evaluate

import (
	"context"
	"testing"

	"palate/internal/heed"
	"palate/model"
)

// TestContexts: folds and the choice of a model stop when their context ends.
func TestContexts(t *testing.T) {
	d := votes(t, 120)
	folds, err := Split(d, &SplitOptions{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	rated := stars(t, 2)
	ratedFolds, err := Split(rated, &SplitOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Run": func(ctx context.Context) error { _, err := Run(ctx, d, folds, Yardsticks(), nil); return err },
		"Ratings": func(ctx context.Context) error {
			_, err := Ratings(ctx, rated, ratedFolds, append(RatingYardsticks(model.Scale{}), modelOfRatings(t, model.Scale{})), nil)
			return err
		},
		"Choose": func(ctx context.Context) error { _, err := Choose(ctx, d, nil); return err },
	})
}
