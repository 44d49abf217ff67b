package server

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/model"
)

// subset is some items of a model, numbered anew.
type subset among

func (f subset) NumItems() int       { return len(f.items) }
func (f subset) ItemID(i int) string { return f.Predictor.ItemID(f.items[i]) }
func (f subset) Prefer(user, left, right int) float64 {
	return f.Predictor.Prefer(user, f.items[left], f.items[right])
}
func (f subset) Utility(user, item int) (mean, variance float64) {
	return f.Predictor.Utility(user, f.items[item])
}

func (f subset) Draws(ctx context.Context, user, n int, rng *rand.Rand) (model.Draws, error) {
	d, err := f.Predictor.Draws(ctx, user, n, rng)
	if err != nil {
		return d, err
	}
	rows, _ := d.F.Dims()
	some := mat.NewDense(rows, len(f.items), nil)
	for k := range rows {
		for j, i := range f.items {
			some.Set(k, j, d.F.At(k, i))
		}
	}
	d.F = some
	return d, nil
}
