package palate

import (
	"cmp"
	"maps"
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

// Tallies returns all pairs that follow from the answer, each once, which weigh no more together than it tells.
func (a Answer) Tallies() (out []Tally) {
	at := places(a.Said)
	below := reach(a.Said, at)
	for x, i := range at {
		for y, j := range at {
			if below[i][j] {
				out = append(out, Tally{User: a.User, A: x, B: y, Weight: a.Weight})
			}
		}
	}
	for _, c := range a.Said {
		if c.Tie {
			out = append(out, Tally{User: a.User, A: c.A, B: c.B, Tie: true, Weight: a.Weight})
		}
	}
	slices.SortFunc(out, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	if told := float64(len(at) - 1); told < float64(len(out)) {
		for k := range out {
			out[k].Weight *= told / float64(len(out))
		}
	}
	return out
}

// Levels returns the items in levels, the best first, of which every item is above all of the next. It is false where
// the answer is no such order: where items tie, or it says of some less than that.
func (a Answer) Levels() (levels [][]int, ok bool) {
	at := places(a.Said)
	below, above := make([]int, len(at)), make([]int, len(at)) // how many are
	for _, c := range a.Said {
		if c.Tie {
			return nil, false
		}
	}
	for i, under := range reach(a.Said, at) {
		for j, is := range under {
			below[i] += number(is)
			above[j] += number(is)
		}
	}
	items := slices.SortedFunc(maps.Keys(at), func(x, y int) int { return cmp.Or(above[at[x]]-above[at[y]], x-y) })
	for lo := 0; lo < len(items); {
		hi := lo + 1
		for hi < len(items) && above[at[items[hi]]] == lo {
			hi++
		}
		for _, x := range items[lo:hi] {
			if above[at[x]] != lo || below[at[x]] != len(items)-hi {
				return nil, false
			}
		}
		levels, lo = append(levels, items[lo:hi]), hi
	}
	return levels, true
}

// Choice is one item chosen from among several.
type Choice struct {
	Items []int // the chosen one, then the others in order
	Worst bool  // it was chosen as the worst, not as the best
}

// Choices returns the choices that the answer is made of, one after the other: of the best, again of the best of the
// rest, as long as one is above all the others, then of the worst in the same way. What a choice of two says is who is
// the better. It is false where that leaves something unsaid: where items tie, or several share a place above others.
func (a Answer) Choices() (out []Choice, ok bool) {
	at := places(a.Said)
	for _, c := range a.Said {
		if c.Tie {
			return nil, false
		}
	}
	below, above := make([]int, len(at)), make([]int, len(at)) // how many are, of those left
	for i, under := range reach(a.Said, at) {
		for j, is := range under {
			below[i] += number(is)
			above[j] += number(is)
		}
	}
	left := slices.Sorted(maps.Keys(at))
	for {
		others := len(left) - 1
		k, worst := slices.IndexFunc(left, func(x int) bool { return below[at[x]] == others }), false
		if k < 0 {
			k, worst = slices.IndexFunc(left, func(x int) bool { return above[at[x]] == others }), true
		}
		if k < 0 || others == 0 {
			break
		}
		chosen := left[k]
		left = slices.Delete(left, k, k+1)
		out = append(out, Choice{append([]int{chosen}, left...), worst})
		fewer := above
		if worst {
			fewer = below
		}
		for _, x := range left {
			fewer[at[x]]--
		}
	}
	return out, !slices.ContainsFunc(left, func(x int) bool { return below[at[x]] > 0 })
}

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
	answers, rest := d.SplitAnswers(by)
	return answers, rest.Tempered()
}

// SplitAnswers is Answers with the other votes as they are.
func (d *Dataset) SplitAnswers(by []int32) ([]Answer, *Dataset) {
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
	var of []Vote
	for _, votes := range groups {
		of = of[:0]
		for _, k := range votes {
			if d.unit(k) == d.unit(votes[0]) {
				of = append(of, d.Vote(k))
			}
		}
		if a, ok := answerOf(of); ok && len(of) == len(votes) {
			if a.User = -1; by != nil {
				a.User = int(by[votes[0]])
			}
			all = append(all, a)
		} else {
			loose = append(loose, votes...)
		}
	}
	if len(all) == 0 {
		return nil, d
	}
	slices.Sort(loose)
	return counted(all), d.Select(loose)
}

// AnswersOf is Dataset.SplitAnswers of votes that are in no dataset, equal answers of a user counted. Votes of a group
// that are of several users are several answers.
func AnswersOf(votes []Vote) (answers []Answer, rest []Vote) {
	type of struct{ group, user int }
	groups := map[of][]Vote{}
	for _, v := range votes {
		if v.Group != 0 && v.Outcome != Skip {
			groups[of{v.Group, v.User}] = append(groups[of{v.Group, v.User}], v)
		}
	}
	whole := map[of]bool{}
	for g, votes := range groups {
		if a, ok := answerOf(votes); ok {
			answers, whole[g] = append(answers, a), true
		}
	}
	for _, v := range votes {
		if v.Outcome == Skip || !whole[of{v.Group, v.User}] {
			rest = append(rest, v)
		}
	}
	return counted(answers), rest
}

// counted puts answers in order and counts those that are equal.
func counted(all []Answer) []Answer {
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
	return out
}

func (c Comparison) compare(o Comparison) int {
	return cmp.Or(cmp.Compare(c.A, o.A), cmp.Compare(c.B, o.B), cmp.Compare(number(c.Tie), number(o.Tie)))
}

// answerOf returns the votes of a group, none skipped, as one answer, if they are one about more than two items.
func answerOf(votes []Vote) (a Answer, ok bool) {
	if len(votes) < 2 || votes[0].Weight < 1 {
		return a, false
	}
	a = Answer{User: votes[0].User, Weight: votes[0].Weight}
	for _, v := range votes {
		if v.Weight != a.Weight || v.User != a.User {
			return a, false
		}
		c := Comparison{v.Left, v.Right, v.Outcome == Tie}
		if v.Outcome == Right || c.Tie && c.A > c.B {
			c.A, c.B = c.B, c.A
		}
		a.Said = append(a.Said, c)
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
	below := reach(said, at)
	between := func(a, b int) bool { // some item is
		for j, under := range below[a] {
			if under && below[j][b] {
				return true
			}
		}
		return false
	}
	var out []Comparison
	for _, c := range said {
		if c.Tie || !between(at[c.A], at[c.B]) {
			out = append(out, c)
		}
	}
	return out
}

// reach says of each item of comparisons, by their places, which are below it, directly or not.
func reach(said []Comparison, at map[int]int) [][]bool {
	below := make([][]int, len(at)) // the losers to each item
	for _, c := range said {
		if !c.Tie {
			below[at[c.A]] = append(below[at[c.A]], at[c.B])
		}
	}
	out := make([][]bool, len(at))
	var find func(i int)
	find = func(i int) {
		if out[i] != nil {
			return
		}
		out[i] = make([]bool, len(at))
		for _, j := range below[i] {
			find(j)
			out[i][j] = true
			for k, under := range out[j] {
				out[i][k] = out[i][k] || under
			}
		}
	}
	for i := range out {
		find(i)
	}
	return out
}
