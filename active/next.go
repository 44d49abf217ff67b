package active

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	// stands for 1500.
	Limit int
}

func (o *Options) limit() int {
	if o.Limit == 0 {
		return 1500
	}
	return max(o.Limit, 6)
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
	Gain                float64 // what the answer is expected to tell, in bits
	Chance              float64 // that left wins
	LeftRank, RightRank int     // as things stand, from 1
	// Propensity is the probability with which the policy asks this pair now:
	// one over the number of pairs that tie for it, and more for exploration. In
	// a batch it is that of the pair given those before it.
	Propensity float64
}

// Next returns k pairs to ask a user next, or the consensus when user is
// negative, the best first; fewer when there are no more. No two are alike, and
// none share an item while there are others.
func Next(p model.Predictor, user, k int, o *Options, rng *rand.Rand) []Pair {
	opt := Options{}
	if o != nil {
		opt = *o
	}
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
	v := newView(p, user, &opt, rng)
	if len(v.items) < 2 {
		return nil
	}
	s := &search{view: v, opt: &opt, rng: rng, scorer: opt.Policy.Strategy.start(v, rng), taken: Pairs{}, used: make([]bool, n)}
	keep := 1
	if k > 1 {
		keep = 8 * k
	}
	var batch []Pair
	for len(batch) < k {
		c, ok := s.best(keep)
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
	return batch
}

// search goes through the pairs of a view.
type search struct {
	*view
	opt    *Options
	rng    *rand.Rand
	scorer scorer
	taken  Pairs       // in this batch
	used   []bool      // items of this batch
	found  []candidate // by the last scan, the best first
}

// candidate is a scored pair, i < j.
type candidate struct {
	i, j  int
	score float64
	key   uint64 // breaks ties at random
	ties  int
}

func better(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return cmp.Compare(b.key, a.key)
}

// best returns the best pair that may still be asked, of items not in the batch
// while there are some.
func (s *search) best(keep int) (candidate, bool) {
	for {
		for len(s.found) > 0 {
			if c := s.found[0]; !s.used[c.i] && !s.used[c.j] && !s.taken.Has(c.i, c.j) {
				return c, true
			}
			s.found = s.found[1:]
		}
		if s.found = s.scan(keep); len(s.found) > 0 {
			continue
		}
		if !slices.Contains(s.used, true) {
			return candidate{}, false
		}
		clear(s.used)
	}
}

// allowed looks closer at a pair that would be among the best.
func (s *search) allowed(i, j int, d, v float64) bool {
	if s.opt.Exclude.Has(i, j) || s.taken.Has(i, j) {
		return false
	}
	if c := s.opt.TooClose; c > 0 {
		sd := math.Sqrt(v)
		return tail((c-d)/sd)+tail((c+d)/sd) > 0.5
	}
	return true
}

// scan returns the best keep pairs without items in use, the best first.
func (s *search) scan(keep int) []candidate {
	h := &shortest{keep: keep, rng: s.rng}
	for _, free := range s.free() {
		s.scanGroup(h, free)
	}
	slices.SortFunc(h.list, better)
	if len(h.list) > 0 {
		h.list[0].ties = h.ties
	}
	return h.list
}

// free returns the items not in use, by group.
func (s *search) free() [][]int {
	var all [][]int
	place := map[int]int{}
	for _, i := range s.items {
		if s.used[i] {
			continue
		}
		g := s.groupOf(i)
		at, ok := place[g]
		if !ok {
			at = len(all)
			place[g] = at
			all = append(all, nil)
		}
		all[at] = append(all[at], i)
	}
	return all
}

// scanGroup scores all pairs of some items.
func (s *search) scanGroup(h *shortest, free []int) {
	n := len(free)
	if n < 2 {
		return
	}
	r := &rows{free: free, extra: s.extras(free), early: make([]bool, n),
		d: make([]float64, n), v: make([]float64, n), need: make([]float64, n), score: make([]float64, n)}
	// The rows of the likely winners first: what they reach spares work later.
	for _, a := range s.leaders(free) {
		s.row(h, r, a, 0, a)
		s.row(h, r, a, a+1, n)
		r.early[a] = true
	}
	for a := range n - 1 {
		if !r.early[a] {
			s.row(h, r, a, a+1, n)
		}
	}
}

// rows is what scoring the pairs of some items needs.
type rows struct {
	free              []int
	extra             []float64 // log familiarity; nil without
	early             []bool    // whose pairs are done
	d, v, need, score []float64
}

// leaders returns the places of the two items that count most.
func (s *search) leaders(free []int) []int {
	a, b := 0, 1
	if s.lead[free[b]] > s.lead[free[a]] {
		a, b = b, a
	}
	for k := 2; k < len(free); k++ {
		switch l := s.lead[free[k]]; {
		case l > s.lead[free[a]]:
			a, b = k, a
		case l > s.lead[free[b]]:
			b = k
		}
	}
	return []int{a, b}
}

// extras returns the log familiarity of the items in question, nil without.
func (s *search) extras(free []int) []float64 {
	if s.opt.Familiarity == nil {
		return nil
	}
	x := make([]float64, len(free))
	for k, i := range free {
		x[k] = math.Log(s.opt.Familiarity[i])
	}
	return x
}

// row scores the pairs of the item at place a with those at places lo to hi, but
// for those that are done.
func (s *search) row(h *shortest, r *rows, a, lo, hi int) {
	if lo >= hi {
		return
	}
	i, others := r.free[a], r.free[lo:hi]
	n := len(others)
	d, v, need, score := r.d[:n], r.v[:n], r.need[:n], r.score[:n]
	s.cov(v, i, others)
	mi, vi, li, least := s.mean[i], s.variance[i], s.lead[i], h.least()
	for k, j := range others {
		d[k] = mi - s.mean[j]
		v[k] = vi + s.variance[j] - 2*v[k]
		need[k] = least - max(li, s.lead[j])
	}
	weighed := r.extra != nil || s.opt.Cost != nil
	if weighed {
		for k := range need {
			need[k] -= s.bonus(r.extra, r.free, a, lo+k)
		}
	}
	s.scorer.row(score, i, others, d, v, need)
	for k, j := range others {
		if !(score[k] >= need[k]) || r.early[lo+k] || math.IsInf(score[k], -1) {
			continue
		}
		total := score[k] + max(li, s.lead[j])
		if weighed {
			total += s.bonus(r.extra, r.free, a, lo+k)
		}
		if total >= h.least() && s.allowed(i, j, d[k], v[k]) {
			h.add(candidate{i: min(i, j), j: max(i, j), score: total})
		}
	}
}

// bonus is what familiarity and cost add to the score of two places.
func (s *search) bonus(extra []float64, free []int, a, b int) (x float64) {
	if extra != nil {
		x += extra[a] + extra[b]
	}
	if s.opt.Cost != nil {
		x -= math.Log(s.opt.Cost[free[a]] + s.opt.Cost[free[b]])
	}
	return x
}

// any returns a pair at random.
func (s *search) any() (candidate, bool) {
	for range 1000 {
		i, j := s.items[s.rng.IntN(len(s.items))], s.items[s.rng.IntN(len(s.items))]
		if i == j || !s.meet(i, j) {
			continue
		}
		if d, v := s.difference(i, j); s.allowed(i, j, d, v) {
			return candidate{i: min(i, j), j: max(i, j), score: s.score(min(i, j), max(i, j))}, true
		}
	}
	return candidate{}, false
}

// score is that of a single pair.
func (s *search) score(i, j int) float64 {
	d, v := s.difference(i, j)
	dst := []float64{0}
	s.scorer.row(dst, i, []int{j}, []float64{d}, []float64{v}, []float64{math.Inf(-1)})
	x := dst[0] + max(s.lead[i], s.lead[j])
	if pair := []int{i, j}; s.opt.Familiarity != nil || s.opt.Cost != nil {
		x += s.bonus(s.extras(pair), pair, 0, 1)
	}
	return x
}

// difference returns mean and variance of the utility of i less that of j.
func (s *search) difference(i, j int) (d, v float64) {
	var c [1]float64
	s.cov(c[:], i, []int{j})
	return s.mean[i] - s.mean[j], math.Max(0, s.variance[i]+s.variance[j]-2*c[0])
}

// take puts a candidate into the batch, where best was the best.
func (s *search) take(c, best candidate) Pair {
	chosen := 0.0 // by the policy
	if p, ok := s.scorer.(propensity); ok {
		chosen = p.propensity(c.i, c.j)
	} else if c.score == best.score {
		chosen = 1 / math.Max(1, float64(best.ties))
	}
	e := s.opt.Explore
	out := Pair{
		Left: c.i, Right: c.j, Score: c.score,
		Propensity: (1-e)*chosen + e/math.Max(1, float64(s.candidates()-len(s.taken))),
	}
	s.taken.Add(c.i, c.j)
	s.used[c.i], s.used[c.j] = true, true
	if s.rng.IntN(2) == 1 {
		out.Left, out.Right = c.j, c.i
	}
	out.LeftRank, out.RightRank = s.rank[out.Left], s.rank[out.Right]
	out.Gain = Gain(s.difference(c.i, c.j))
	out.Chance = s.p.Prefer(s.user, out.Left, out.Right)
	return out
}

// shortest holds the best few candidates, the worst of them at the top of a
// heap.
type shortest struct {
	keep int
	list []candidate
	best float64
	ties int // for the best score
	rng  *rand.Rand
}

// least is what a score must reach to be held.
func (h *shortest) least() float64 {
	if len(h.list) < h.keep {
		return math.Inf(-1)
	}
	return h.list[0].score
}

func (h *shortest) add(c candidate) {
	c.key = h.rng.Uint64()
	switch {
	case len(h.list) == 0 || c.score > h.best:
		h.best, h.ties = c.score, 1
	case c.score == h.best:
		h.ties++
	}
	if len(h.list) < h.keep {
		h.list = append(h.list, c)
		for k := len(h.list) - 1; k > 0 && better(h.list[(k-1)/2], h.list[k]) < 0; k = (k - 1) / 2 {
			h.list[k], h.list[(k-1)/2] = h.list[(k-1)/2], h.list[k]
		}
		return
	}
	if better(c, h.list[0]) > 0 {
		return
	}
	h.list[0] = c
	for k := 0; ; {
		worst := k
		for _, child := range []int{2*k + 1, 2*k + 2} {
			if child < len(h.list) && better(h.list[worst], h.list[child]) < 0 {
				worst = child
			}
		}
		if worst == k {
			return
		}
		h.list[k], h.list[worst] = h.list[worst], h.list[k]
		k = worst
	}
}
