package server

import (
	"slices"

	"palate"
	"palate/store"
)

// Least and most items of a question about several, and the most of an answer that comes
// without a question or from a file.
const (
	minSet, maxSet = 3, 8
	maxAnswer      = 50
)

// setVotes returns the comparisons that follow from an answer about several items, of those
// that are in: left is what was shown first. They weigh no more together than the answer
// tells, see palate.Dataset.Tempered.
func setVotes(s store.Set, items []store.Item) []palate.Vote {
	way, shown, places := s.Parts()
	if places == nil {
		return nil
	}
	in := func(i int) bool { return i < len(items) && items[i].Excluded == "" }
	var votes []palate.Vote
	named := map[int]bool{}
	for a, i := range shown {
		for b := a + 1; b < len(shown); b++ {
			j, outcome := shown[b], palate.Tie
			switch {
			case !in(i) || !in(j) || places[a] == places[b] && way != store.Tied:
				continue
			case places[a] < places[b]:
				outcome = palate.Left
			case places[a] > places[b]:
				outcome = palate.Right
			}
			named[i], named[j] = true, true
			votes = append(votes, palate.Vote{User: -1, Left: i, Right: j, Outcome: outcome, Weight: 1})
		}
	}
	if told := len(named) - 1; told < len(votes) {
		for k := range votes {
			votes[k].Weight = float64(told) / float64(len(votes))
		}
	}
	return votes
}

// putting is a question about several items, whose answer puts each in a place.
type putting struct {
	way   store.Way
	items []int
	names func(item int) string
}

// BadAnswer is an ErrInvalid of an answer about several items.
type BadAnswer struct {
	Why  AnswerFault
	Item string // that it is about, if any
}

// AnswerFault is what may be wrong with an answer about several items.
type AnswerFault string

const (
	NotAsked   AnswerFault = "it is not among the items that were asked about"
	NamedTwice AnswerFault = "it is there twice"
	BestIsLast AnswerFault = "it cannot be the best and the worst"
	Incomplete AnswerFault = "an item is missing"
	OtherWay   AnswerFault = "the question asks for something else"
)

func (e *BadAnswer) Error() string {
	if e.Item == "" {
		return invalid("the answer: %s", e.Why).Error()
	}
	return invalid("the answer: item %.60q: %s", e.Item, e.Why).Error()
}

// Unwrap returns ErrInvalid.
func (e *BadAnswer) Unwrap() error { return ErrInvalid }

// answered puts the items of a question where an answer puts them.
func (p putting) answered(a Answer) (store.Set, error) {
	places := make([]int, len(p.items))
	put := func(item string, place int) error {
		for k, i := range p.items {
			if p.names(i) == item {
				places[k] = place
				return nil
			}
		}
		return &BadAnswer{NotAsked, item}
	}
	fill := func(place int) {
		for k := range places {
			places[k] = place
		}
	}
	var err error
	switch p.way {
	case store.Choice:
		if a.Worst != "" || a.Order != nil {
			return "", &BadAnswer{Why: OtherWay}
		}
		if a.Best == "" {
			return "", &BadAnswer{Why: Incomplete}
		}
		fill(1)
		err = put(a.Best, 0)
	case store.BestWorst:
		switch {
		case a.Order != nil:
			return "", &BadAnswer{Why: OtherWay}
		case a.Best == "" || a.Worst == "":
			return "", &BadAnswer{Why: Incomplete}
		case a.Best == a.Worst:
			return "", &BadAnswer{BestIsLast, a.Best}
		}
		fill(1)
		if err = put(a.Best, 0); err == nil {
			err = put(a.Worst, 2)
		}
	default:
		if a.Best != "" || a.Worst != "" {
			return "", &BadAnswer{Why: OtherWay}
		}
		seen := map[string]bool{}
		for k, item := range a.Order {
			if seen[item] {
				return "", &BadAnswer{NamedTwice, item}
			}
			seen[item] = true
			if err = put(item, k); err != nil {
				return "", err
			}
		}
		if len(a.Order) < len(p.items) {
			return "", &BadAnswer{Why: Incomplete}
		}
	}
	if err != nil {
		return "", err
	}
	return store.NewSet(p.way, p.items, places), nil
}

// several fills in the answer to a question about several items.
func (l *live) several(v *store.Vote, s store.Set, a Answer) (err error) {
	if a.Outcome == palate.Skip {
		v.Set = s.Asked()
		return nil
	}
	if a.Outcome != palate.Left {
		return &BadAnswer{Why: OtherWay}
	}
	way, items, _ := s.Parts()
	v.Set, err = putting{way, items, l.name}.answered(a)
	return err
}

// freeSet fills in an answer about several items that was not asked for.
func (l *live) freeSet(v *store.Vote, a Answer) error {
	if l.space != nil {
		return invalid("a board that searches a space takes answers about two points")
	}
	way, shown := store.Ranking, a.Items
	switch {
	case a.Worst != "":
		way = store.BestWorst
	case a.Best != "":
		way = store.Choice
	case shown == nil:
		shown = a.Order
	}
	if n := len(shown); n < minSet || n > maxAnswer {
		return invalid("an answer about %d items; it takes %d to %d, and two are left and right", n, minSet, maxAnswer)
	}
	var items []int
	for _, id := range shown {
		k, err := l.numberOf(id)
		if err != nil {
			return invalid("%v", err)
		}
		if slices.Contains(items, k) {
			return &BadAnswer{NamedTwice, id}
		}
		items = append(items, k)
	}
	v.Left, v.Right = items[0], items[1]
	return l.several(v, store.NewSet(way, items, nil), a)
}

// isSeveral reports whether an answer is about several items.
func (a Answer) isSeveral() bool {
	return a.Best != "" || a.Worst != "" || a.Order != nil || a.Items != nil
}

// placesOf names the items of an answer by their places, the best first; those of one place
// are not ordered. shown are all of them, as they were shown.
func placesOf(s store.Set, name func(int) string) (way store.Way, shown []string, places [][]string) {
	way, items, at := s.Parts()
	for _, i := range items {
		shown = append(shown, name(i))
	}
	for place := range slices.Max(append(at, -1)) + 1 {
		var here []string
		for k, p := range at {
			if p == place {
				here = append(here, shown[k])
			}
		}
		places = append(places, here)
	}
	return way, shown, places
}

// weakOrder returns the votes of one answer of a file as a set, if they say what one can:
// which of the items are above which, those of one place not compared, or all of them tied.
func weakOrder(votes []palate.Vote) (items, places []int, way store.Way, ok bool) {
	type pair [2]int
	said := map[pair]palate.Outcome{} // of pairs, the lesser first
	above := map[int]int{}            // how many items are above each
	ties := 0
	for _, v := range votes {
		if v.Left > v.Right {
			v = v.Swap()
		}
		if old, again := said[pair{v.Left, v.Right}]; again && old != v.Outcome || v.Outcome == palate.Skip {
			return nil, nil, "", false
		} else if again {
			continue
		}
		said[pair{v.Left, v.Right}] = v.Outcome
		above[v.Left] += 0 // it is one of the items, be none above it
		above[v.Right] += 0
		switch v.Outcome {
		case palate.Left:
			above[v.Right]++
		case palate.Right:
			above[v.Left]++
		case palate.Tie:
			ties++
		}
	}
	if len(above) < minSet || len(above) > maxAnswer {
		return nil, nil, "", false
	}
	for _, v := range votes { // in the order in which the file names them
		for _, i := range []int{v.Left, v.Right} {
			if !slices.Contains(items, i) {
				items = append(items, i)
			}
		}
	}
	var levels []int
	for _, i := range items {
		if !slices.Contains(levels, above[i]) {
			levels = append(levels, above[i])
		}
	}
	slices.Sort(levels)
	size := make([]int, len(levels))
	for _, i := range items {
		at := slices.Index(levels, above[i])
		places = append(places, at)
		size[at]++
	}
	within := 0 // pairs of one place
	for _, n := range size {
		within += n * (n - 1) / 2
	}
	for a, i := range items {
		for b := a + 1; b < len(items); b++ {
			j, want := items[b], palate.Left
			o, told := said[pair{min(i, j), max(i, j)}]
			if i > j {
				o = o.Swap()
			}
			switch {
			case places[a] == places[b]:
				if told && o != palate.Tie {
					return nil, nil, "", false
				}
				continue
			case places[a] > places[b]:
				want = palate.Right
			}
			if !told || o != want {
				return nil, nil, "", false
			}
		}
	}
	switch {
	case ties > 0 && ties == within:
		way = store.Tied
	case ties > 0:
		return nil, nil, "", false
	case slices.Equal(size, []int{1, len(items) - 1}):
		way = store.Choice
	case slices.Equal(size, []int{1, len(items) - 2, 1}) && len(items) > 3:
		way = store.BestWorst
	default:
		way = store.Ranking
	}
	return items, places, way, true
}

// checkAsking says what is wrong with how voters are to be asked.
func checkAsking(set *store.Settings) error {
	if !slices.Contains(store.Ways(), set.Ask) {
		return invalid("%q is not one of pairs, choice, best-worst and ranking", set.Ask)
	}
	switch {
	case set.Ask == store.Pairs:
		set.Size = 0
		return nil
	case set.Size == 0:
		set.Size = 4
	case set.Size < minSet || set.Size > maxSet:
		return invalid("%d items at a time; %d to %d", set.Size, minSet, maxSet)
	}
	return nil
}
