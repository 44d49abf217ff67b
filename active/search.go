package active

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// search goes through the pairs of a view.
type search struct {
	*view
	ctx    context.Context // what is found is nonsense when it has ended
	opt    *Options
	rng    *rand.Rand
	scorer scorer
	taken  Pairs       // in this batch
	used   []bool      // items of this batch
	ahead  *foresight  // in place of used; nil: it makes no difference to scores
	found  []candidate // by the last scan, the best first
	floor  float64     // no pair that is not found had a better score
}

// best returns the best pair that may still be asked: by what is left to learn when
// those of the batch are answered, or of items not in the batch while there are some.
func (s *search) best(keep int) (candidate, bool) {
	if s.ahead != nil {
		return s.bestAhead(keep)
	}
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

// bestAhead finds the best score as it is now. Scores only fall, so that what was
// found is an upper bound, and few have to be found again.
func (s *search) bestAhead(keep int) (candidate, bool) {
	for fresh := false; ; {
		for len(s.found) > 0 && s.taken.Has(s.found[0].i, s.found[0].j) {
			s.found = s.found[1:]
		}
		if len(s.found) == 0 || s.found[0].score < s.floor {
			if fresh {
				return candidate{}, false
			}
			s.found, s.floor, fresh = s.scan(keep), math.Inf(-1), true
			if len(s.found) == keep {
				s.floor = s.found[keep-1].score
			}
			continue
		}
		c := s.found[0]
		now := s.score(c.i, c.j)
		if fresh || now >= c.score {
			return c, true
		}
		c.score, c.ties = now, 0
		at, _ := slices.BinarySearchFunc(s.found[1:], c, better)
		copy(s.found, s.found[1:at+1])
		s.found[at] = c
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
		if s.ctx.Err() != nil {
			return
		}
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
	if s.rng.IntN(2) == 1 {
		out.Left, out.Right = c.j, c.i
	}
	out.LeftRank, out.RightRank = s.rank[out.Left], s.rank[out.Right]
	d, v := s.difference(c.i, c.j)
	out.Gain, out.Chance = Gain(d, v), s.p.Prefer(s.user, out.Left, out.Right)
	if s.ahead != nil {
		s.ahead.answered(s.view, c.i, c.j, d, v)
	} else {
		s.used[c.i], s.used[c.j] = true, true
	}
	return out
}
