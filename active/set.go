package active

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/model"
)

// Set is several items to ask about at once.
type Set struct {
	Items []int // in random order
	// Pair is the one that the set was begun with; its score, gain and propensity are of it alone.
	Pair Pair
}

// NextSet returns so many items to ask a user about at once, or the consensus when user is
// negative: the pair that Next would name, and one after the other the item whose pairs
// with those before are worth most together, by the same policy. Pairs that are not to be
// asked count nothing, unless nothing else is left. A set that is begun with a pair at
// random, by Options.Explore, is all at random. There are fewer items when there are no
// more, and none when there is no pair to ask. It fails only when ctx ends.
func NextSet(ctx context.Context, p model.Predictor, user, size int, o *Options, rng *rand.Rand) (Set, error) {
	s, err := newSearch(ctx, p, user, o, rng)
	if err != nil || s == nil {
		return Set{}, err
	}
	c, ok := s.best(1)
	if err := ctx.Err(); err != nil || !ok {
		return Set{}, err
	}
	pair, explored := c, false
	if s.opt.Explore > 0 && rng.Float64() < s.opt.Explore {
		if r, ok := s.any(); ok {
			pair, explored = r, true
		}
	}
	set := Set{Items: []int{pair.i, pair.j}, Pair: s.take(pair, c)}
	if explored {
		set.Items = s.growAtRandom(set.Items, size)
	} else {
		set.Items = s.grow(set.Items, size)
	}
	rng.Shuffle(len(set.Items), func(a, b int) { set.Items[a], set.Items[b] = set.Items[b], set.Items[a] })
	return set, ctx.Err()
}

// others are the items that may join a set.
func (s *search) others(set []int) []int {
	var all []int
	for _, j := range s.items {
		if !slices.Contains(set, j) && s.meet(set[0], j) {
			all = append(all, j)
		}
	}
	return all
}

// grow adds the items that are worth most beside those of a set.
func (s *search) grow(set []int, size int) []int {
	free := s.others(set)
	n := len(free)
	// What an item adds: by pairs that may be asked, and by all.
	asked, all := make([]float64, n), make([]float64, n)
	r := &rows{d: make([]float64, n), v: make([]float64, n), need: slices.Repeat([]float64{math.Inf(-1)}, n), score: make([]float64, n)}
	for k := 0; len(set) < size && k < len(set) && s.ctx.Err() == nil; k++ {
		s.add(asked, all, r, set[k], free)
		if k == 0 { // a set begins with two
			continue
		}
		best, ties := -1, 0
		for at, j := range free {
			if slices.Contains(set, j) {
				continue
			}
			switch {
			case best < 0 || asked[at] > asked[best] || asked[at] == asked[best] && all[at] > all[best]:
				best, ties = at, 1
			case asked[at] == asked[best] && all[at] == all[best]:
				if ties++; s.rng.IntN(ties) == 0 {
					best = at
				}
			}
		}
		if best < 0 {
			break
		}
		set = append(set, free[best])
	}
	return set
}

// add adds what the pairs of an item with others are worth to the sums of these.
func (s *search) add(asked, all []float64, r *rows, i int, others []int) {
	s.cov(r.v, i, others)
	for k, j := range others {
		r.d[k] = s.mean[i] - s.mean[j]
		r.v[k] = math.Max(0, s.variance[i]+s.variance[j]-2*r.v[k])
	}
	s.scorer.row(r.score, i, others, r.d, r.v, r.need)
	for k, j := range others {
		if i == j {
			continue
		}
		x := r.score[k] + max(s.lead[i], s.lead[j])
		if pair := []int{i, j}; s.opt.Familiarity != nil || s.opt.Cost != nil {
			x += s.bonus(s.extras(pair), pair, 0, 1)
		}
		x = math.Exp(x)
		if all[k] += x; s.allowed(i, j, r.d[k], r.v[k]) {
			asked[k] += x
		}
	}
}

// growAtRandom adds items at random.
func (s *search) growAtRandom(set []int, size int) []int {
	free := s.others(set)
	s.rng.Shuffle(len(free), func(a, b int) { free[a], free[b] = free[b], free[a] })
	return append(set, free[:min(len(free), max(0, size-len(set)))]...)
}
