package agree

import (
	"cmp"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
)

// residuals are how much more often than foreseen an item won with a voter.
type residuals struct {
	deviation []map[int]float64 // by voter and item, shrunk towards zero
	square    []float64         // by item: sum of z²
	count     []int             // by item: voters
}

func newResiduals(items, voters int) *residuals {
	return &residuals{make([]map[int]float64, voters), make([]float64, items), make([]int, items)}
}

// voter adds a voter, and returns the items on which the voter differs, by two
// standard deviations at least.
func (r *residuals) voter(k int, votes []int, scores []float64, d *palate.Dataset) []Dissent {
	type sum struct{ gap, variance, votes float64 }
	of := map[int]*sum{}
	at := func(i int) *sum {
		if of[i] == nil {
			of[i] = &sum{}
		}
		return of[i]
	}
	for _, vote := range votes {
		v := d.Vote(vote)
		p := num.Sigmoid(scores[v.Left] - scores[v.Right])
		gap, variance := v.Weight*(v.Outcome.Share()-p), v.Weight*p*(1-p)
		for _, side := range []struct {
			item int
			sign float64
		}{{v.Left, 1}, {v.Right, -1}} {
			s := at(side.item)
			s.gap += side.sign * gap
			s.variance += variance
			s.votes += v.Weight
		}
	}
	var out []Dissent
	r.deviation[k] = make(map[int]float64, len(of))
	for i, s := range of {
		z := s.gap / math.Sqrt(s.variance)
		r.deviation[k][i] = s.gap / (1 + s.variance) // with one vote's worth of doubt
		if s.votes > 1 {
			r.square[i] += z * z
			r.count[i]++
		}
		if math.Abs(z) >= 2 {
			out = append(out, Dissent{i, d.ItemID(i), s.votes, z})
		}
	}
	slices.SortFunc(out, func(a, b Dissent) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Z), math.Abs(a.Z)), cmp.Compare(a.Item, b.Item))
	})
	return out
}

// items ranks items by how far voters differ on them.
func (r *residuals) items(d *palate.Dataset) []Item {
	var out []Item
	for i, n := range r.count {
		if n > 0 {
			out = append(out, Item{i, d.ItemID(i), n, r.square[i] / float64(n)})
		}
	}
	slices.SortStableFunc(out, func(a, b Item) int { return cmp.Compare(b.Spread, a.Spread) })
	return out
}
