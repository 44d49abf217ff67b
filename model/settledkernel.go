package model

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
	"palate/population"
)

// settledItems is the number of items up to which a personal model takes the kernel over their
// features from what one utility for all voters settles.
const settledItems = 500

// settledKernel is the kernel over features of items that one utility for all voters settles by
// the evidence of the votes that are no ties: shape, length-scales, a linear term and what is each
// item's own. Votes weigh less where they are redundant. Nil where there are none.
func settledKernel(ctx context.Context, b Base, f *palate.Features, tallies []palate.Tally, redundancy float64, seed uint64) (kernel.Kernel, error) {
	if tallies = decided(tallies); len(tallies) == 0 {
		return nil, nil
	}
	for k := range tallies {
		tallies[k].Weight /= redundancy
	}
	m := &Single{Base: b, options: Options{Seed: seed}}
	m.trained, m.obs = len(m.ids), observe(tallies, nil, false, nil)
	if err := m.setPrior(f); err != nil {
		return nil, err
	}
	s, x, err := m.climb(ctx)
	if err != nil {
		return nil, err
	}
	_, _, _, k := s.at(x)
	return k, nil
}

// pooled are the votes of all people together that are no ties.
func pooled(people *population.People) (tallies []palate.Tally) {
	sum := map[[2]int]float64{}
	kinds := people.Kinds()
	for u := range people.Len() {
		for _, p := range people.Pairs(u) {
			if k := kinds[p.Kind]; !k.Tie {
				sum[[2]int{p.Win, p.Lose}] += k.Power * p.Count
			}
		}
	}
	for pair, weight := range sum {
		tallies = append(tallies, palate.Tally{User: -1, A: pair[0], B: pair[1], Weight: weight})
	}
	slices.SortFunc(tallies, func(a, b palate.Tally) int { return cmp.Or(a.A-b.A, a.B-b.B) })
	return tallies
}

// Bounds of the part of means and factors that is each item's own: with less items of like features
// could not differ, with more nothing could be said of new ones.
const leastOwnPart, mostOwnPart = 0.02, 0.95

// knownItems is what features may tell of items. Of the mean a settled kernel tells, or one at the
// median of distances; of tastes either of them, or if all are asked for that they go along straight
// lines.
func knownItems(features *mat.Dense, settled kernel.Kernel, all bool, rng *rand.Rand) []*population.Items {
	n, cols := features.Dims()
	medians := population.NewItems(n, features, FeatureKernel{}.at(kernel.Dense(features), rng), rng)
	if settled == nil || medians.Kernel == nil {
		return []*population.Items{medians}
	}
	k, own := kernel.Parts(settled)
	mean := population.NewItems(n, features, k, rng)
	if mean.Kernel == nil {
		return []*population.Items{medians}
	}
	mean = mean.Mixed(min(max(own/(own+mean.Variance()), leastOwnPart), mostOwnPart))
	if !all {
		return []*population.Items{mean, medians.Under(mean)}
	}
	lines := population.NewItems(n, features, kernel.NewLinear(deviations(features, [][]int{num.Indices(cols)})), rng)
	return []*population.Items{mean, medians.Under(mean), lines.Under(mean), medians}
}
