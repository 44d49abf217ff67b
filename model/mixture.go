package model

import (
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// mixture is several predictors, each with its weight. Weights sum to one.
type mixture[P Predictor] struct {
	parts  []P
	weight []float64
}

// mean is that of a figure over the parts.
func (m *mixture[P]) mean(of func(p P) float64) (sum float64) {
	for k, w := range m.weight {
		sum += w * of(m.parts[k])
	}
	return sum
}

// Prefer returns the probability that user picks left over right, ties apart.
func (m *mixture[P]) Prefer(user, left, right int) float64 {
	return m.mean(func(p P) float64 { return p.Prefer(user, left, right) })
}

// preferTo sets dst to what Prefer says of pairs.
func (m *mixture[P]) preferTo(dst []float64, user int, left, right []int) {
	clear(dst)
	part := make([]float64, len(dst))
	for k, w := range m.weight {
		preferring(m.parts[k])(part, user, left, right)
		for i, x := range part {
			dst[i] += w * x
		}
	}
}

// Utility returns mean and variance of an item's utility to user.
func (m *mixture[P]) Utility(user, item int) (mean, variance float64) {
	mean = m.mean(func(p P) float64 { x, _ := p.Utility(user, item); return x })
	return mean, m.mean(func(p P) float64 {
		x, v := p.Utility(user, item)
		return v + (x-mean)*(x-mean)
	})
}

// Draws returns joint draws of the utilities of all items to user, of each part as many as
// its weight says up to one.
func (m *mixture[P]) Draws(ctx context.Context, user, n int, rng *rand.Rand) (all Draws, err error) {
	var data []float64
	var alike []bool
	offset, sum, done, items := rng.Float64(), 0.0, 0, 0
	for k, w := range m.weight {
		sum += w
		end := min(int(sum*float64(n)+offset), n)
		if k == len(m.weight)-1 {
			end = n
		}
		if end == done {
			continue
		}
		d, err := m.parts[k].Draws(ctx, user, end-done, rng)
		if err != nil {
			return Draws{}, err
		}
		rows, cols := d.F.Dims()
		items = cols
		for r := range rows {
			data = append(data, d.F.RawRowView(r)...)
			all.Weight = append(all.Weight, d.Weight[r]*float64(end-done)/float64(n))
			alike = append(alike, d.Alike != nil && d.Alike[r])
		}
		all.Mended = all.Mended || d.Mended
		done = end
	}
	if slices.Contains(alike, true) {
		all.Alike = alike
	}
	all.F, all.ESS = mat.NewDense(len(all.Weight), items, data), effective(all.Weight)
	return all, nil
}
