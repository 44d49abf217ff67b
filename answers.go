package palate

import (
	"cmp"
	"slices"
)

// Answer is what somebody said about several items at once, such as a ranking or a choice of one: comparisons that
// hold together.
type Answer struct {
	User   int          // who gave it, or its unit; −1 when unknown, or pooled
	Said   []Comparison // in order of A and B; none follows from others
	Weight float64      // how often it was given
}

// Items returns how many items the answer is about.
func (a Answer) Items() int { return len(places(a.Said)) }

// Comparison says that A is above B, or that the two tied (then A < B).
type Comparison struct {
	A, B int
	Tie  bool
}

// Answers returns answers about several items as such, and the dataset of all other votes. The votes of a group are
// one answer where they are of one user, or unit, have one weight of 1 or more, and can all be so: items in an
// order, of which those that tie are within a margin that others are apart by. The others of a group are tempered.
// Given who cast every vote, −1 for nobody, equal answers of one are counted, else all that are equal. Answers are in
// order of user and of what they say.
func (d *Dataset) Answers(by []int32) ([]Answer, *Dataset) {
	groups := make([][]int, d.NumGroups()+1)
	var loose []int
	for k, v := range d.Votes() {
		if v.Group == 0 || v.Outcome == Skip {
			loose = append(loose, k)
		} else {
			groups[v.Group] = append(groups[v.Group], k)
		}
	}
	var all []Answer
	for _, votes := range groups {
		if a, ok := d.answer(votes, by); ok {
			all = append(all, a)
		} else {
			loose = append(loose, votes...)
		}
	}
	if len(all) == 0 {
		return nil, d.Tempered()
	}
	slices.SortFunc(all, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(a.User, b.User), slices.CompareFunc(a.Said, b.Said, Comparison.compare), cmp.Compare(a.Weight, b.Weight))
	})
	out := all[:0]
	for _, a := range all {
		if n := len(out) - 1; n >= 0 && out[n].User == a.User && slices.Equal(out[n].Said, a.Said) {
			out[n].Weight += a.Weight
		} else {
			out = append(out, a)
		}
	}
	slices.Sort(loose)
	return out, d.Select(loose).Tempered()
}

func (c Comparison) compare(o Comparison) int {
	return cmp.Or(cmp.Compare(c.A, o.A), cmp.Compare(c.B, o.B), cmp.Compare(number(c.Tie), number(o.Tie)))
}

// answer returns the votes of a group as one answer, if they are one about more than two items.
func (d *Dataset) answer(votes []int, by []int32) (a Answer, ok bool) {
	if len(votes) < 2 {
		return a, false
	}
	c, first := &d.votes, d.Vote(votes[0])
	a = Answer{User: -1, Weight: first.Weight}
	if by != nil {
		a.User = int(by[votes[0]])
	}
	if a.Weight < 1 {
		return a, false
	}
	for _, k := range votes {
		v := d.Vote(k)
		if v.Weight != first.Weight || v.User != first.User || d.unit(k) != d.unit(votes[0]) {
			return a, false
		}
		x, y, tie, _ := c.winner(k)
		a.Said = append(a.Said, Comparison{int(x), int(y), tie})
	}
	slices.SortFunc(a.Said, Comparison.compare)
	a.Said = slices.Compact(a.Said)
	if len(a.Said) < 2 || !consistent(a.Said) {
		return a, false
	}
	a.Said = reduced(a.Said)
	return a, true
}

// places numbers the items of comparisons.
func places(said []Comparison) map[int]int {
	at := map[int]int{}
	for _, c := range said {
		for _, i := range [2]int{c.A, c.B} {
			if _, ok := at[i]; !ok {
				at[i] = len(at)
			}
		}
	}
	return at
}

// consistent reports whether all of some comparisons can be so: whether there are heights of the items of which those
// of winners are more than 1 above those of losers, and those of items that tie less than 1 apart. Heights are lowered
// until they fit (Bellman and Ford).
func consistent(said []Comparison) bool {
	at := places(said)
	height := make([]float64, len(at))
	little := 1e-3 / float64(len(at)) // more and less than 1
	for range height {
		moved := false
		below := func(a, b int, by float64) { // b is at most by above a
			if most := height[at[a]] + by; height[at[b]] > most+1e-9 {
				height[at[b]], moved = most, true
			}
		}
		for _, c := range said {
			if c.Tie {
				below(c.A, c.B, 1-little)
				below(c.B, c.A, 1-little)
			} else {
				below(c.A, c.B, -1-little)
			}
		}
		if !moved {
			return true
		}
	}
	return false
}

// reduced returns comparisons without those that follow from others, as that of the first and the third item of a ranking
// does. They are consistent.
func reduced(said []Comparison) []Comparison {
	at := places(said)
	n := len(at)
	below := make([][]int, n) // the losers to each item
	for _, c := range said {
		if !c.Tie {
			below[at[c.A]] = append(below[at[c.A]], at[c.B])
		}
	}
	reach := make([][]bool, n) // all that is below each
	var find func(i int)
	find = func(i int) {
		if reach[i] != nil {
			return
		}
		reach[i] = make([]bool, n)
		for _, j := range below[i] {
			find(j)
			reach[i][j] = true
			for k, under := range reach[j] {
				reach[i][k] = reach[i][k] || under
			}
		}
	}
	for i := range n {
		find(i)
	}
	var out []Comparison
	for _, c := range said {
		b := at[c.B]
		if c.Tie || !slices.ContainsFunc(below[at[c.A]], func(j int) bool { return reach[j][b] }) {
			out = append(out, c)
		}
	}
	return out
}
