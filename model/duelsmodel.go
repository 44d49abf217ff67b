package model

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Name returns "duels".
func (d *Duels) Name() string { return "duels" }

// Fit returns how the fit went. Scale is the inverse scale of the kernel.
func (d *Duels) Fit() Fit {
	f := Fit{Objective: d.result.Objective, Kind: d.result.Kind.String(), Status: d.result.Status, Stats: d.result.Stats, Scale: d.scale}
	for _, w := range d.weight {
		f.Votes += w
	}
	return f
}

// Extend returns the model with names for further vectors.
func (d *Duels) Extend(ids []string, features *mat.Dense) (Model, error) {
	_, have := d.features.Dims()
	if r, c := features.Dims(); r != len(ids) || c != have {
		return nil, fmt.Errorf("model: duels: %d×%d features for %d new items; the model has %d features", r, c, len(ids), have)
	}
	e := *d
	e.Base, e.together = d.grown(ids), &together{}
	e.features = &mat.Dense{}
	e.features.Stack(d.features, features)
	return &e, nil
}

// Prefer returns the probability that left beats right in a noisy duel.
func (d *Duels) Prefer(_, left, right int) float64 {
	return d.Beats(d.features.RawRowView(left), d.features.RawRowView(right))
}

// preferTo sets dst to what Prefer says of pairs.
func (d *Duels) preferTo(dst []float64, _ int, left, right []int) {
	noise := 2 * d.options.Noise * d.options.Noise
	d.together.preferTo(dst, -1, len(d.ids), left, right, d.moments, func(lead, variance float64) float64 { return ahead(lead, variance+noise) })
}

func (d *Duels) moments(items []int) moments {
	mean, cov := d.Predict(d.rows(items))
	return moments{mean, cov}
}

// Utility returns mean and variance of the utility of an item.
func (d *Duels) Utility(_, item int) (mean, variance float64) {
	m, c := d.Predict(d.rows([]int{item}))
	return m[0], c.At(0, 0)
}

// Draws returns joint draws of the utilities of all items, as the Gaussian has
// them.
func (d *Duels) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	mean, cov := d.Predict(d.features)
	return covarianceDraws(ctx, mean, cov, n, rng)
}
