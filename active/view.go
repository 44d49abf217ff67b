package active

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/model"
)

// view is what a strategy sees of a model: the items in question, with the
// moments of their utilities. Slices are by item.
type view struct {
	p              model.Predictor
	user           int
	items          []int // in ascending order
	mean, variance []float64
	votes          []float64
	rank           []int     // from 1, the best first; ties at random
	lead           []float64 // log of what a pair counts by its better item
	group          []int     // nil: all may meet
	cov            func(dst []float64, item int, others []int)
	asked          int // excluded pairs among the items
}

// covarianceDraws stand in for a covariance where the model has none to show.
const covarianceDraws = 256

func newView(ctx context.Context, p model.Predictor, user int, o *Options, rng *rand.Rand) (*view, error) {
	n := p.NumItems()
	v := &view{p: p, user: user, votes: p.Votes(), group: o.Group}
	v.mean, v.variance, v.rank, v.lead = make([]float64, n), make([]float64, n), make([]int, n), make([]float64, n)
	order := rng.Perm(n)
	order = slices.DeleteFunc(order, func(i int) bool { return o.Familiarity != nil && !(o.Familiarity[i] > 0) })
	if j, ok := p.(model.Joint); ok {
		if err := j.UtilitiesTo(ctx, v.mean, v.variance, user); err != nil {
			return nil, err
		}
	} else {
		for _, i := range order {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			v.mean[i], v.variance[i] = p.Utility(user, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(v.mean[b], v.mean[a]) })
	place := map[int]int{} // ranks count within a group
	size := map[int]int{}
	for _, i := range order {
		size[v.groupOf(i)]++
	}
	for _, i := range order {
		g := v.groupOf(i)
		place[g]++
		v.rank[i] = place[g]
		v.lead[i] = o.Policy.Goal.lead(place[g], size[g])
	}
	v.items = v.shortlist(order, o.limit(n), rng)
	slices.Sort(v.items)
	var err error
	if v.cov, err = v.covariance(ctx, rng); err != nil {
		return nil, err
	}
	listed := make([]bool, n)
	for _, i := range v.items {
		listed[i] = true
	}
	for pair := range o.Exclude {
		if listed[pair[0]] && listed[pair[1]] && v.meet(pair[0], pair[1]) {
			v.asked++
		}
	}
	return v, nil
}

func (v *view) groupOf(i int) int {
	if v.group == nil {
		return 0
	}
	return v.group[i]
}

func (v *view) meet(i, j int) bool { return v.group == nil || v.group[i] == v.group[j] }

// shortlist keeps at most limit items of an order by mean: a third from the
// top, a third of the least known by what they count, the rest at random.
func (v *view) shortlist(order []int, limit int, rng *rand.Rand) []int {
	if len(order) <= limit {
		return order
	}
	list := slices.Clone(order[:limit/3])
	rest := slices.Clone(order[limit/3:])
	worth := func(i int) float64 { return math.Log(v.variance[i]) + v.lead[i] }
	slices.SortFunc(rest, func(a, b int) int { return cmp.Compare(worth(b), worth(a)) })
	list = append(list, rest[:limit/3]...)
	rest = rest[limit/3:]
	rng.Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
	return append(list, rest[:limit-len(list)]...)
}

// candidates returns the number of pairs that may be asked.
func (v *view) candidates() int {
	size := map[int]int{}
	for _, i := range v.items {
		size[v.groupOf(i)]++
	}
	n := -v.asked
	for _, k := range size {
		n += k * (k - 1) / 2
	}
	return n
}

// covariance returns how to read covariances: from the model, or from draws.
func (v *view) covariance(ctx context.Context, rng *rand.Rand) (func(dst []float64, item int, others []int), error) {
	if j, ok := v.p.(model.Joint); ok {
		return func(dst []float64, item int, others []int) { j.CovarianceTo(dst, v.user, item, others) }, nil
	}
	d, err := v.p.Draws(ctx, v.user, covarianceDraws, rng)
	if err != nil {
		return nil, err
	}
	draws := len(d.Weight)
	// By item, centred and scaled so that products sum to covariances.
	at := make([][]float64, len(v.mean))
	for _, i := range v.items {
		x := make([]float64, draws)
		var m float64
		for k, w := range d.Weight {
			x[k] = d.F.At(k, i)
			m += w * x[k]
		}
		var s float64
		for k, w := range d.Weight {
			x[k] = math.Sqrt(w) * (x[k] - m)
			s += x[k] * x[k]
		}
		if s > 0 { // so that the model's own variances stand
			s = math.Sqrt(v.variance[i] / s)
		}
		for k := range x {
			x[k] *= s
		}
		at[i] = x
	}
	return func(dst []float64, item int, others []int) {
		x := at[item]
		for k, j := range others {
			y := at[j][:len(x)]
			var s0, s1 float64
			for t := 0; t+1 < len(x); t += 2 {
				s0 += x[t] * y[t]
				s1 += x[t+1] * y[t+1]
			}
			if len(x)%2 == 1 {
				s0 += x[len(x)-1] * y[len(x)-1]
			}
			dst[k] = s0 + s1
		}
	}, nil
}
