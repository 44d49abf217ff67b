package asking

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/active"
	"palate/internal/num"
	"palate/model"
)

// Policy chooses pairs to ask.
type Policy struct {
	Name string
	// next returns the pairs to ask until the next fit, about so many.
	next func(ctx context.Context, m *model.Single, batch int, rng *rand.Rand) ([][2]int, error)
	// strategy is that of package active, by which sets are chosen as well; nil for others.
	strategy *active.Policy
}

// Policies lists all of them.
func Policies() []Policy {
	all := []Policy{}
	for _, p := range []active.Policy{
		{Name: "random", Strategy: active.Random{}, Goal: active.Ranking()},
		{Name: "bald", Strategy: active.BALD{}, Goal: active.Ranking()},
		{Name: "bald-top-first", Strategy: active.BALD{}, Goal: active.TopFirst()},
		{Name: "bald-top-10", Strategy: active.BALD{}, Goal: active.Top(10)},
		{Name: "bald-best", Strategy: active.BALD{}, Goal: active.Best()},
		{Name: "lel", Strategy: active.LEL{}, Goal: active.Ranking()},
		{Name: "lel-top-10", Strategy: active.LEL{}, Goal: active.Top(10)},
		{Name: "lel-best", Strategy: active.LEL{}, Goal: active.Best()},
		{Name: "eubo", Strategy: active.EUBO{}, Goal: active.Ranking()},
		{Name: "thompson", Strategy: active.Thompson{}, Goal: active.Ranking()},
	} {
		all = append(all, Policy{p.Name, func(ctx context.Context, m *model.Single, batch int, rng *rand.Rand) ([][2]int, error) {
			next, err := active.Next(ctx, m, -1, batch, &active.Options{Policy: p}, rng)
			pairs := make([][2]int, len(next))
			for k, q := range next {
				pairs[k] = [2]int{q.Left, q.Right}
			}
			return pairs, err
		}, &p})
	}
	return append(all,
		Policy{Name: "closeness", next: apart(func(b *belief, i, j int) float64 {
			d, v := b.difference(i, j)
			p := num.Phi(d / math.Sqrt(1+v))
			return v * p * (1 - p)
		})},
		Policy{Name: "d-optimal", next: dOptimal},
		Policy{Name: "crowd-bt", next: apart((*belief).divergence)},
		Policy{Name: "hybrid-mst", next: tree((*belief).information)},
		Policy{Name: "asap", next: func(ctx context.Context, m *model.Single, batch int, rng *rand.Rand) ([][2]int, error) {
			if m.NumItems() > 50 {
				return tree((*belief).divergence)(ctx, m, batch, rng)
			}
			return apart((*belief).divergence)(ctx, m, 1, rng)
		}},
	)
}

// belief is what is known of the utilities.
type belief struct {
	mean []float64
	cov  [][]float64
}

func newBelief(ctx context.Context, m *model.Single) (*belief, error) {
	n := m.NumItems()
	b := &belief{mean: make([]float64, n), cov: make([][]float64, n)}
	items, variance := make([]int, n), make([]float64, n)
	for i := range items {
		items[i] = i
	}
	if err := m.UtilitiesTo(ctx, b.mean, variance, -1); err != nil {
		return nil, err
	}
	for i := range items {
		b.cov[i] = make([]float64, n)
		m.CovarianceTo(b.cov[i], -1, i, items)
		b.cov[i][i] = variance[i]
	}
	return b, ctx.Err()
}

// difference returns mean and variance of the utility of i less that of j.
func (b *belief) difference(i, j int) (d, v float64) {
	return b.mean[i] - b.mean[j], max(0, b.cov[i][i]+b.cov[j][j]-2*b.cov[i][j])
}

// divergence is the expected Kullback–Leibler divergence of what is known of two
// independent items after the answer from what is known before.
func (b *belief) divergence(i, j int) float64 {
	vi, vj := b.cov[i][i], b.cov[j][j]
	c := math.Sqrt(1 + vi + vj)
	u := (b.mean[i] - b.mean[j]) / c
	kl := func(u float64) float64 { // after a win
		h := math.Exp(-0.5*u*u-num.LogPhi(u)) / math.Sqrt(2*math.Pi)
		g := h * (h + u)
		of := func(v float64) float64 {
			shrink, shift := 1-v/(c*c)*g, math.Sqrt(v)*h/c // relative to the variance and the deviation before
			return 0.5 * (shrink + shift*shift - 1 - math.Log(shrink))
		}
		return of(vi) + of(vj)
	}
	p := num.Phi(u)
	return p*kl(u) + (1-p)*kl(-u)
}

// information is that of an answer about the two items, in nats, by a quadrature of nodes
// half a deviation apart: active.Gain takes more of them, which no order of pairs needs.
func (b *belief) information(i, j int) float64 {
	const h, reach = 0.5, 6.0
	entropy := func(p float64) float64 { // p is at most a half
		p = max(p, 1e-300)
		return -p*math.Log(p) - (1-p)*math.Log1p(-p)
	}
	d, v := b.difference(i, j)
	gain := entropy(num.Phi(-math.Abs(d) / math.Sqrt(1+v)))
	for z := -reach; z <= reach; z += h {
		gain -= h * math.Exp(-0.5*z*z) / math.Sqrt(2*math.Pi) * entropy(num.Phi(-math.Abs(d+math.Sqrt(v)*z)))
	}
	return gain
}

type scored struct {
	i, j  int
	score float64
}

// rank returns all pairs, the best first and those that tie in random order.
func (b *belief) rank(score func(b *belief, i, j int) float64, rng *rand.Rand) []scored {
	n := len(b.mean)
	all := make([]scored, 0, n*(n-1)/2)
	for i := range n {
		for j := range i {
			all = append(all, scored{i, j, score(b, i, j)})
		}
	}
	rng.Shuffle(len(all), func(x, y int) { all[x], all[y] = all[y], all[x] })
	slices.SortStableFunc(all, func(x, y scored) int { return cmp.Compare(y.score, x.score) })
	return all
}

// apart asks the pairs of best scores of which no two share an item.
func apart(score func(b *belief, i, j int) float64) func(context.Context, *model.Single, int, *rand.Rand) ([][2]int, error) {
	return func(ctx context.Context, m *model.Single, batch int, rng *rand.Rand) (pairs [][2]int, err error) {
		b, err := newBelief(ctx, m)
		if err != nil {
			return nil, err
		}
		used := make([]bool, m.NumItems())
		for _, s := range b.rank(score, rng) {
			if len(pairs) < batch && !used[s.i] && !used[s.j] {
				used[s.i], used[s.j] = true, true
				pairs = append(pairs, [2]int{s.i, s.j})
			}
		}
		return pairs, nil
	}
}

// tree asks all pairs of the tree of best scores.
func tree(score func(b *belief, i, j int) float64) func(context.Context, *model.Single, int, *rand.Rand) ([][2]int, error) {
	return func(ctx context.Context, m *model.Single, _ int, rng *rand.Rand) (pairs [][2]int, err error) {
		b, err := newBelief(ctx, m)
		if err != nil {
			return nil, err
		}
		of := make([]int, m.NumItems()) // the part that an item belongs to
		for i := range of {
			of[i] = i
		}
		find := func(i int) int {
			for of[i] != i {
				of[i] = of[of[i]]
				i = of[i]
			}
			return i
		}
		for _, s := range b.rank(score, rng) {
			if x, y := find(s.i), find(s.j); x != y {
				of[x] = y
				pairs = append(pairs, [2]int{s.i, s.j})
			}
		}
		return pairs, nil
	}
}

// dOptimal asks one pair after the other, with the information of those before it.
func dOptimal(ctx context.Context, m *model.Single, batch int, rng *rand.Rand) (pairs [][2]int, err error) {
	b, err := newBelief(ctx, m)
	if err != nil {
		return nil, err
	}
	n := len(b.mean)
	information := func(d float64) float64 {
		density := math.Exp(-0.5*d*d) / math.Sqrt(2*math.Pi)
		return density * density / (num.Phi(d) * num.Phi(-d))
	}
	weight := make([][]float64, n) // information of the answers, whose means stay
	for i := range weight {
		weight[i] = make([]float64, i)
		for j := range weight[i] {
			if d := b.mean[i] - b.mean[j]; math.Abs(d) <= 6 {
				weight[i][j] = information(d)
			}
		}
	}
	for range batch {
		var best scored
		for _, i := range rng.Perm(n) {
			for j, w := range weight[i] {
				if s := w * (b.cov[i][i] + b.cov[j][j] - 2*b.cov[i][j]); s > best.score {
					best = scored{i, j, s}
				}
			}
		}
		pairs = append(pairs, [2]int{best.i, best.j})
		_, v := b.difference(best.i, best.j)
		w := weight[best.i][best.j]
		lean := make([]float64, n)
		for k := range lean {
			lean[k] = b.cov[best.i][k] - b.cov[best.j][k]
		}
		for k := range b.cov {
			num.Axpy(-w/(1+w*v)*lean[k], lean, b.cov[k])
		}
	}
	return pairs, ctx.Err()
}
