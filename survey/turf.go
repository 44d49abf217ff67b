package survey

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"palate/internal/num"
	"palate/model"
)

// Reach is whom items reach: for every item, the draws of voters in which it is among those
// that are liked best.
type Reach struct {
	draws float64
	of    [][]uint64 // a bit a draw
}

// Reaching draws everybody's utilities, and finds the o.Top items that each likes best in every
// draw.
func Reaching(ctx context.Context, m model.Model, users []int, o *Options) (*Reach, error) {
	j, _, err := check(m, nil)
	if err != nil {
		return nil, err
	}
	opt, n := o.filled(), m.NumItems()
	if o == nil || o.Draws == 0 {
		opt.Draws = 64
	}
	if opt.Top < 1 || opt.Top >= n || len(users) == 0 {
		return nil, fmt.Errorf("survey: the %d best of %d items, of %d voters", opt.Top, n, len(users))
	}
	likes, err := drawn(ctx, j, users, opt, 0)
	if err != nil {
		return nil, err
	}
	return NewReach(n, likes), nil
}

// Orders returns in what order voters would choose all items, one after the other, in o.Draws
// draws of each: from any shelf they would choose the first that is there.
func Orders(ctx context.Context, m model.Model, users []int, o *Options) ([][]int, error) {
	j, all, err := check(m, nil)
	if err != nil {
		return nil, err
	}
	opt := o.filled()
	opt.Top = len(all)
	return drawn(ctx, j, users, opt, math.Sqrt(0.5))
}

// drawn are the items that voters like best in draws, with the noise of an answer or without it.
func drawn(ctx context.Context, m joint, users []int, o Options, noise float64) ([][]int, error) {
	likes, failed := make([][][]int, len(users)), make([]error, len(users))
	num.Parallel(len(users), 1, func(lo, hi int) {
		for k := lo; k < hi && ctx.Err() == nil; k++ {
			likes[k], failed[k] = liked(ctx, m, users[k], o, noise)
		}
	})
	for _, err := range append(failed, ctx.Err()) {
		if err != nil {
			return nil, err
		}
	}
	return slices.Concat(likes...), nil
}

// NewReach is whom items reach, given the items that somebody likes best, for everybody.
func NewReach(items int, likes [][]int) *Reach {
	r := &Reach{draws: float64(len(likes)), of: make([][]uint64, items)}
	for i := range r.of {
		r.of[i] = make([]uint64, (len(likes)+63)/64)
	}
	for k, own := range likes {
		for _, item := range own {
			r.of[item][k/64] |= 1 << (k % 64)
		}
	}
	return r
}

// liked are the best items of draws. Draws that are weighed are drawn once more by their
// weights.
func liked(ctx context.Context, m joint, user int, o Options, noise float64) (out [][]int, err error) {
	rng := rand.New(rand.NewPCG(o.Seed, uint64(user)))
	d, err := m.Draws(ctx, user, o.Draws, rng)
	if err != nil {
		return nil, err
	}
	at, sum, offset := 0, d.Weight[0], rng.Float64()
	for k := range o.Draws {
		for sum*float64(o.Draws) < float64(k)+offset && at < len(d.Weight)-1 {
			at++
			sum += d.Weight[at]
		}
		f := d.F.RawRowView(at)
		if noise > 0 {
			f = slices.Clone(f)
			for i := range f {
				f[i] += noise * rng.NormFloat64()
			}
		}
		out = append(out, Best(f, o.Top))
	}
	return out, nil
}

// Best returns the items of the highest utilities, so many of them.
func Best(utilities []float64, n int) []int {
	order := num.Indices(len(utilities))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(utilities[b], utilities[a]) })
	return order[:n]
}

// Portfolio is a choice of items.
type Portfolio struct {
	Items     []int   // in the order in which each adds most
	Reach     float64 // the share of voters who like one of them best
	Frequency float64 // how many of them a voter likes best, in the mean
	Bound     float64 // no portfolio of the size reaches more
	Exact     bool    // it is the best
}

// mostCounted is about how many words portfolios may take to count through.
const mostCounted = 2e9

// Portfolio returns the items that reach most, size of them, among which are those given.
func (r *Reach) Portfolio(ctx context.Context, size int, with []int) (*Portfolio, error) {
	n := len(r.of)
	if size < max(1, len(with)) || size > n {
		return nil, fmt.Errorf("survey: a portfolio of %d of %d items, with %d that are given", size, n, len(with))
	}
	p := r.greedy(size, with)
	ways := 1.0 // to choose the others
	for k := range size - len(with) {
		ways *= float64(n-len(with)-k) / float64(k+1)
	}
	if ways*float64(len(r.of[0])) <= mostCounted {
		best, err := r.search(ctx, p, with)
		if err != nil {
			return nil, err
		}
		p = r.greedyAmong(best) // in the order in which each adds most
		p.Exact, p.Bound = true, p.Reach
	}
	return p, ctx.Err()
}

// covered is the union of what items reach.
func (r *Reach) covered(items []int) []uint64 {
	out := make([]uint64, len(r.of[0]))
	for _, i := range items {
		for w, x := range r.of[i] {
			out[w] |= x
		}
	}
	return out
}

// gain is how many draws an item adds to those that are covered.
func (r *Reach) gain(covered []uint64, item int) (n int) {
	for w, x := range r.of[item] {
		n += bits.OnesCount64(x &^ covered[w])
	}
	return n
}

// greedy takes what adds most, one item after the other, and bounds what others could reach: at
// every step no more than is covered and the largest gains of as many items as there is
// room for.
func (r *Reach) greedy(size int, with []int) *Portfolio {
	p := &Portfolio{Items: slices.Clone(with), Bound: 1}
	covered := r.covered(with)
	for {
		var gains []int
		best := -1
		for i := range r.of {
			if slices.Contains(with, i) {
				continue
			}
			g := r.gain(covered, i)
			gains = append(gains, g)
			if !slices.Contains(p.Items, i) && (best < 0 || g > r.gain(covered, best)) {
				best = i
			}
		}
		slices.SortFunc(gains, func(a, b int) int { return b - a })
		most := count(covered)
		for _, g := range gains[:min(len(gains), size-len(with))] {
			most += g
		}
		p.Bound = math.Min(p.Bound, float64(most)/r.draws)
		if len(p.Items) == size {
			break
		}
		p.Items = append(p.Items, best)
		for w, x := range r.of[best] {
			covered[w] |= x
		}
	}
	r.measure(p)
	p.Exact = p.Bound <= p.Reach
	return p
}

// greedyAmong puts items in the order in which each adds most.
func (r *Reach) greedyAmong(items []int) *Portfolio {
	p, covered := &Portfolio{}, make([]uint64, len(r.of[0]))
	left := slices.Clone(items)
	slices.Sort(left)
	for len(left) > 0 {
		best := 0
		for k, i := range left {
			if r.gain(covered, i) > r.gain(covered, left[best]) {
				best = k
			}
		}
		for w, x := range r.of[left[best]] {
			covered[w] |= x
		}
		p.Items, left = append(p.Items, left[best]), slices.Delete(left, best, best+1)
	}
	r.measure(p)
	return p
}

// Of returns what some items reach.
func (r *Reach) Of(items []int) *Portfolio {
	p := &Portfolio{Items: items}
	r.measure(p)
	p.Bound = p.Reach
	return p
}

func (r *Reach) measure(p *Portfolio) {
	p.Reach = float64(count(r.covered(p.Items))) / r.draws
	p.Frequency = 0
	for _, i := range p.Items {
		p.Frequency += float64(count(r.of[i])) / r.draws
	}
}

func count(words []uint64) (n int) {
	for _, x := range words {
		n += bits.OnesCount64(x)
	}
	return n
}

// search counts portfolios through, but for those that cannot reach more than the best so far,
// which begins with one that is good.
func (r *Reach) search(ctx context.Context, from *Portfolio, with []int) ([]int, error) {
	size, words := len(from.Items), len(r.of[0])
	var others []int // those that reach most first
	for i := range r.of {
		if !slices.Contains(with, i) {
			others = append(others, i)
		}
	}
	alone := make([]int, len(r.of)) // what each reaches by itself
	for i, words := range r.of {
		alone[i] = count(words)
	}
	slices.SortStableFunc(others, func(a, b int) int { return alone[b] - alone[a] })
	best, most := slices.Clone(from.Items), count(r.covered(from.Items))
	covered := make([][]uint64, size+1)
	for k := range covered {
		covered[k] = make([]uint64, words)
	}
	copy(covered[len(with)], r.covered(with))
	chosen := slices.Clone(with)
	var visit func(first int) error
	visit = func(first int) error {
		have := covered[len(chosen)]
		reached := count(have)
		if len(chosen) == size {
			if reached > most {
				best, most = slices.Clone(chosen), reached
			}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for k := first; k <= len(others)-(size-len(chosen)); k++ {
			bound := reached // items that follow reach no more by themselves
			for _, i := range others[k : k+size-len(chosen)] {
				bound += alone[i]
			}
			if bound <= most {
				break
			}
			next := covered[len(chosen)+1]
			for w, x := range r.of[others[k]] {
				next[w] = have[w] | x
			}
			chosen = append(chosen, others[k])
			if err := visit(k + 1); err != nil {
				return err
			}
			chosen = chosen[:len(chosen)-1]
		}
		return nil
	}
	err := visit(0)
	return best, err
}
