package active

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"palate/model"
)

// stopDraws are the joint draws that Settled looks at. The whole order of many items is
// known to three digits by fewer.
const (
	stopDraws      = 400
	stopDrawsOfAll = 50
)

// Settled returns how sure the model is of what the goal wants, from 0 to 1: for
// Best the probability that the leader is the best; for Top(k) the expected
// share of the k leaders that belong there; for Ranking and TopFirst the expected
// Kendall τ of the order by mean with the true one, not below 0. It is the rule
// to stop by: ask until it reaches, say, .9. It fails only when ctx ends.
func Settled(ctx context.Context, p model.Predictor, user int, g Goal, rng *rand.Rand) (float64, error) {
	n := p.NumItems()
	if n < 2 {
		return 1, nil
	}
	order := make([]int, n)
	mean := make([]float64, n)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		order[i] = i
		mean[i], _ = p.Utility(user, i)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mean[b], mean[a]) })
	draws := stopDraws
	if n > manyItems && g.kind != "best" && g.kind != "top" {
		draws = stopDrawsOfAll
	}
	d, err := p.Draws(ctx, user, draws, rng)
	if err != nil {
		return 0, err
	}
	var sum float64
	f := make([]float64, n)
	for k, w := range d.Weight {
		if w == 0 {
			continue
		}
		row := d.F.RawRowView(k)
		for r, i := range order {
			f[r] = row[i] // by rank
		}
		switch g.kind {
		case "best":
			sum += w * overlap(f, 1)
		case "top":
			sum += w * overlap(f, min(g.k, n))
		default:
			sum += w * concord(f, rng)
		}
	}
	return max(0, sum), ctx.Err()
}

// overlap is the share of the first k that are among the k largest.
func overlap(f []float64, k int) float64 {
	sorted := slices.Clone(f)
	slices.Sort(sorted)
	least := sorted[len(f)-k]
	var in float64
	for _, x := range f[:k] {
		if x >= least {
			in++
		}
	}
	return in / float64(k)
}

// concord is Kendall's τ of f with the descending order, from a sample of pairs
// when there are many.
func concord(f []float64, rng *rand.Rand) float64 {
	const most = 2000
	n := len(f)
	var good, all float64
	count := func(i, j int) {
		all++
		if f[i] > f[j] {
			good++
		}
	}
	if n*(n-1)/2 <= most {
		for i := range n {
			for j := i + 1; j < n; j++ {
				count(i, j)
			}
		}
	} else {
		for range most {
			i, j := rng.IntN(n), rng.IntN(n-1)
			if j >= i {
				j++
			}
			count(min(i, j), max(i, j))
		}
	}
	return 2*good/all - 1
}
