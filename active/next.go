package active

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"palate/model"
)

// Options are the settings of Next; nil means the defaults.
type Options struct {
	Policy  Policy // zero: Default
	Exclude Pairs  // not to be asked
	// Group, if set, says which items may meet: those with the same number.
	Group []int
	// Familiarity, if set, is how well the voter knows each item, from 0 to 1; a
	// pair counts the product. Items at 0 are left out.
	Familiarity []float64
	// Cost, if set, is what it takes to look at each item; a pair is worth its
	// score over the sum.
	Cost []float64
	// TooClose leaves out pairs whose utilities probably differ by less, in units
	// of the noise of a vote: novices cannot tell them apart. 0 leaves out none.
	TooClose float64
	// Explore is the probability with which a pair is asked at random.
	Explore float64
	// Limit is the number of items above which only a shortlist is scored; 0
	// stands for 1500, and for 150 of more than 20,000 items.
	Limit int
}

// manyItems is from how many items on a row of their covariance, which is a solve over all
// of them, takes a good part of a second.
const manyItems = 20_000

// limit is that of so many items.
func (o *Options) limit(items int) int {
	switch {
	case o.Limit != 0:
		return max(o.Limit, 6)
	case items > manyItems:
		return 150
	}
	return 1500
}

// Pairs is a set of pairs of items.
type Pairs map[[2]int]struct{}

// Add puts a pair into the set, in whatever order.
func (s Pairs) Add(a, b int) { s[[2]int{min(a, b), max(a, b)}] = struct{}{} }

// Remove takes a pair out.
func (s Pairs) Remove(a, b int) { delete(s, [2]int{min(a, b), max(a, b)}) }

// Has reports whether a pair is in the set.
func (s Pairs) Has(a, b int) bool {
	_, ok := s[[2]int{min(a, b), max(a, b)}]
	return ok
}

// Pair is a pair to ask.
type Pair struct {
	Left, Right         int     // in random order
	Score               float64 // by the policy, a logarithm
	Gain                float64 // what the answer is expected to tell, in bits, beside those before it
	Chance              float64 // that left wins
	LeftRank, RightRank int     // as things stand, from 1
	// Propensity is the probability with which the policy asks this pair now:
	// one over the number of pairs that tie for it, and more for exploration. In
	// a batch it is that of the pair given those before it.
	Propensity float64
}

// Next returns k pairs to ask a user next, or the consensus when user is
// negative, the best first; fewer when there are no more. No two are alike. BALD
// and LEL take each for what it tells beside those before it, so that an item of
// which little is known is in several; under other strategies none share an item
// while there are others. It fails only when ctx ends.
func Next(ctx context.Context, p model.Predictor, user, k int, o *Options, rng *rand.Rand) ([]Pair, error) {
	s, err := newSearch(ctx, p, user, o, rng)
	if err != nil || s == nil {
		return nil, err
	}
	opt, v := s.opt, s.view
	keep := 1
	if k > 1 {
		keep = 8 * k
		if _, ok := opt.Policy.Strategy.(foreseer); ok {
			if s.ahead, err = v.foresee(ctx); err != nil {
				return nil, err
			}
		}
	}
	var batch []Pair
	for len(batch) < k {
		c, ok := s.best(keep)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if opt.Explore > 0 && rng.Float64() < opt.Explore {
			if r, ok := s.any(); ok {
				batch = append(batch, s.take(r, c))
				continue
			}
		}
		batch = append(batch, s.take(c, c))
	}
	return batch, nil
}

// newSearch starts looking; nil when there are no two items.
func newSearch(ctx context.Context, p model.Predictor, user int, o *Options, rng *rand.Rand) (*search, error) {
	opt := *cmp.Or(o, &Options{})
	if opt.Policy.Strategy == nil {
		opt.Policy = Default()
	}
	n := p.NumItems()
	for what, s := range map[string][]float64{"familiarities": opt.Familiarity, "costs": opt.Cost} {
		if s != nil && len(s) != n {
			panic(fmt.Sprintf("active: %d %s for %d items", len(s), what, n))
		}
	}
	if opt.Group != nil && len(opt.Group) != n {
		panic(fmt.Sprintf("active: %d groups for %d items", len(opt.Group), n))
	}
	v, err := newView(ctx, p, user, &opt, rng)
	if err != nil || len(v.items) < 2 {
		return nil, err
	}
	scorer, err := opt.Policy.Strategy.start(ctx, v, rng)
	if err != nil {
		return nil, err
	}
	return &search{view: v, ctx: ctx, opt: &opt, rng: rng, scorer: scorer, taken: Pairs{}, used: make([]bool, n)}, nil
}
