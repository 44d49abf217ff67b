package agree

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/metric"
)

// resamples of the pairs, for the interval of α.
const resamples = 400

// alpha is Krippendorff's, with a bootstrap interval over pairs.
func alpha(ctx context.Context, d *palate.Dataset, o Options) (Interval, int, error) {
	type key struct{ a, b, user int }
	last := map[key]float64{}
	units := map[[2]int][]float64{}
	for _, v := range d.Votes() {
		if v.Outcome == palate.Skip {
			continue
		}
		if v.Left > v.Right {
			v = v.Swap()
		}
		if v.User < 0 { // somebody else each time, for all we know
			units[[2]int{v.Left, v.Right}] = append(units[[2]int{v.Left, v.Right}], v.Outcome.Share())
			continue
		}
		last[key{v.Left, v.Right, v.User}] = v.Outcome.Share()
	}
	for k, x := range last {
		units[[2]int{k.a, k.b}] = append(units[[2]int{k.a, k.b}], x)
	}
	pairs := make([][2]int, 0, len(units))
	for p, list := range units {
		if len(list) > 1 {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(x, y [2]int) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	// Each pair is a unit in both orders: which item comes first is an accident, and
	// chance is not to know it.
	lists := make([][2][]float64, len(pairs))
	for k, p := range pairs {
		there := units[p]
		slices.Sort(there) // the order of a map is not to matter
		back := make([]float64, len(there))
		for i, x := range there {
			back[i] = 1 - x
		}
		lists[k] = [2][]float64{there, back}
	}
	of := func(pick func(k int) int) float64 {
		both := make([][]float64, 0, 2*len(lists))
		for k := range lists {
			both = append(both, lists[pick(k)][:]...)
		}
		return metric.Alpha(both, metric.Nominal)
	}
	value := of(func(k int) int { return k })
	if math.IsNaN(value) || len(pairs) < 2 { // one pair tells nothing of others
		return Interval{value, math.NaN(), math.NaN()}, len(pairs), nil
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0xa1))
	draws := make([]float64, 0, resamples)
	for range resamples {
		if err := ctx.Err(); err != nil {
			return Interval{}, 0, err
		}
		if x := of(func(int) int { return rng.IntN(len(lists)) }); !math.IsNaN(x) {
			draws = append(draws, x)
		}
	}
	slices.Sort(draws)
	at := func(q float64) float64 { return draws[min(int(q*float64(len(draws))), len(draws)-1)] }
	return Interval{value, min(at((1-o.Level)/2), value), max(at((1+o.Level)/2), value)}, len(pairs), nil
}
