package population

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/likelihood"
)

// People are the votes of many persons, each in the numbering of the items
// that person voted on. Persons are numbered by work, most first.
type People struct {
	items     int // of the whole population
	itemStart []int
	item      []int32 // distinct items of each person, ascending
	pairStart []int
	win, lose []uint16  // positions among the person's items; of a tie, either way
	count     []float64 // of each pair; nil: all 1
	kind      []uint8   // of outcome, see Observation; nil: all wins of weight 1
	answer    []int32   // the person's answer about several items that each pair is of, from 1 on, those of votes (0) first; nil: all are votes
	kinds     []Observation
	owner     []int    // the dataset's user, −1 when unknown
	disk      *mapping // holds all but starts and owners; nil: in memory
}

// Observation is what a pair observed: a win or a tie, the weight of one count, where
// the two were shown, and whether it is of an answer about several items.
type Observation struct {
	Tie   bool
	Power float64 // in (0, 1], see likelihood.Counted
	Side  int     `json:",omitempty"` // 1: the first was on the left, −1: on the right; 0: that is not known
	Drawn bool    `json:",omitempty"` // it compares what an answer drew of the two, see answers.go
}

// maxItems is how many distinct items a person may have voted on.
const maxItems = math.MaxUint16

// NewPeople sorts tallies, and answers about several items, by person. Votes and answers of
// unknown persons come from as many persons as there are of them. Any weight is a count of
// votes of one of a few kinds (likelihood.Counted).
func NewPeople(items int, tallies []palate.Tally, answers ...palate.Answer) (*People, error) {
	p, err := gather(items, tallies, answers, []Observation{{Power: 1}})
	if err != nil {
		return nil, err
	}
	return p, p.sortByWork()
}

// ByUser is NewPeople with persons numbered by user, unknown ones first.
func ByUser(items int, tallies []palate.Tally, answers ...palate.Answer) (*People, error) {
	return gather(items, tallies, answers, []Observation{{Power: 1}})
}

// gather numbers persons by user, and adds to the kinds there are.
func gather(items int, tallies []palate.Tally, answers []palate.Answer, kinds []Observation) (*People, error) {
	p := &People{items: items, itemStart: []int{0}, pairStart: []int{0}, kinds: kinds}
	if !slices.IsSortedFunc(tallies, func(a, b palate.Tally) int { return cmp.Compare(a.User, b.User) }) {
		tallies = slices.Clone(tallies)
		slices.SortStableFunc(tallies, func(a, b palate.Tally) int { return cmp.Compare(a.User, b.User) })
	}
	answers = byUserOf(answers)
	at := make([]int32, items) // position + 1 among the person's items
	for user, t := range byUser(tallies, answers) {
		add := p.add
		if user < 0 {
			add = p.addUnknown
		}
		if err := add(user, t.Tallies, t.Answers, at); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// byUser goes through what each user said, in order of the users. Tallies and answers are in that order.
func byUser(tallies []palate.Tally, answers []palate.Answer) iter.Seq2[int, Told] {
	return func(yield func(int, Told) bool) {
		for len(tallies)+len(answers) > 0 {
			user := math.MaxInt
			if len(tallies) > 0 {
				user = tallies[0].User
			}
			if len(answers) > 0 {
				user = min(user, answers[0].User)
			}
			votes, said := 0, 0 // of that user
			for votes < len(tallies) && tallies[votes].User == user {
				votes++
			}
			for said < len(answers) && answers[said].User == user {
				said++
			}
			if !yield(user, Told{Tallies: tallies[:votes], Answers: answers[:said]}) {
				return
			}
			tallies, answers = tallies[votes:], answers[said:]
		}
	}
}

// addUnknown appends a person for every vote, and for every answer.
func (p *People) addUnknown(_ int, tallies []palate.Tally, answers []palate.Answer, at []int32) error {
	for _, t := range tallies {
		for left := t.Weight; left > 0; left-- {
			t.Weight = min(left, 1)
			if err := p.add(-1, []palate.Tally{t}, nil, at); err != nil {
				return err
			}
		}
	}
	for _, a := range answers {
		n := math.Floor(a.Weight)
		a.Weight /= n
		for ; n > 0; n-- {
			if err := p.add(-1, nil, []palate.Answer{a}, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// work is roughly what a sweep costs.
func (p *People) work(u int) int {
	m := p.itemStart[u+1] - p.itemStart[u]
	return m*m*m + 40*(p.pairStart[u+1]-p.pairStart[u])
}

// add appends a person. at is all zero before and after.
func (p *People) add(user int, tallies []palate.Tally, answers []palate.Answer, at []int32) error {
	first := len(p.item)
	see := func(a, b int) {
		for _, i := range [2]int{a, b} {
			if at[i] == 0 {
				at[i] = 1
				p.item = append(p.item, int32(i))
			}
		}
	}
	for _, t := range tallies {
		see(t.A, t.B)
	}
	for _, a := range answers {
		for _, c := range a.Said {
			see(c.A, c.B)
		}
	}
	own := p.item[first:]
	slices.Sort(own)
	if len(own) > maxItems {
		return fmt.Errorf("population: one person voted on %d items; the most is %d", len(own), maxItems)
	}
	for k, i := range own {
		at[i] = int32(k) + 1
	}
	pair := func(a, b int, count float64, kind Observation, answer int32) {
		p.win, p.lose = append(p.win, uint16(at[a]-1)), append(p.lose, uint16(at[b]-1))
		p.count = appendUnless(p.count, count, 1, len(p.win))
		p.kind = appendUnless(p.kind, p.kindOf(kind), 0, len(p.win))
		p.answer = appendUnless(p.answer, answer, 0, len(p.win))
	}
	for _, t := range tallies {
		count, power := likelihood.Counted(t.Weight)
		pair(t.A, t.B, count, Observation{Tie: t.Tie, Power: power, Side: t.Side}, 0)
	}
	for k, a := range answers {
		for _, c := range a.Said {
			pair(c.A, c.B, a.Weight, Observation{Tie: c.Tie, Power: 1, Drawn: true}, int32(k+1))
		}
	}
	for _, i := range own {
		at[i] = 0
	}
	p.owner = append(p.owner, user)
	p.itemStart, p.pairStart = append(p.itemStart, len(p.item)), append(p.pairStart, len(p.win))
	return nil
}

// kindOf numbers the kinds that occur. Powers are fewer than 127 (likelihood.Counted), and of
// those below one there are few: they come with weights.
func (p *People) kindOf(k Observation) uint8 {
	i := slices.Index(p.kinds, k)
	if i < 0 {
		i = len(p.kinds)
		p.kinds = append(p.kinds, k)
	}
	return uint8(i)
}

// appendUnless makes s n long, ending in x; nil stands for nothing but def.
func appendUnless[T comparable](s []T, x, def T, n int) []T {
	if s == nil {
		if x == def {
			return nil
		}
		s = make([]T, n-1, max(n, 64))
		for i := range s {
			s[i] = def
		}
	}
	return append(s, x)
}

// Len returns the number of persons.
func (p *People) Len() int { return len(p.owner) }

// NumItems returns the number of items of the population.
func (p *People) NumItems() int { return p.items }

// NumPairs returns the number of distinct pairs, summed over persons.
func (p *People) NumPairs() int { return p.pairStart[p.Len()] }

// Owner returns the dataset's user who is person u, −1 when unknown.
func (p *People) Owner(u int) int { return p.owner[u] }

// Kinds returns the kinds of outcome that occur; the first is a plain win.
func (p *People) Kinds() []Observation { return p.kinds }

// Items returns the items that person u voted on.
func (p *People) Items(u int) []int32 { return p.item[p.itemStart[u]:p.itemStart[u+1]] }

// votes are the pairs of one person.
type votes struct {
	win, lose []uint16
	count     []float64 // nil: all 1
	kind      []uint8   // nil: all 0
	answer    []int32   // nil: all 0
}

// countOf returns how often pair p was seen, and kindOf of which kind it is.
func (v votes) countOf(p int) float64 {
	if v.count == nil {
		return 1
	}
	return v.count[p]
}

func (v votes) kindOf(p int) uint8 {
	if v.kind == nil {
		return 0
	}
	return v.kind[p]
}

// Pair is what a person said of two items: how often, and of which of the Kinds.
type Pair struct {
	Win, Lose int
	Count     float64
	Kind      uint8
}

// Pairs goes through the pairs of person u, numbered over all persons.
func (p *People) Pairs(u int) iter.Seq2[int, Pair] {
	return func(yield func(int, Pair) bool) {
		v, items, first := p.votes(u), p.Items(u), p.pairStart[u]
		for k := range v.win {
			pair := Pair{int(items[v.win[k]]), int(items[v.lose[k]]), v.countOf(k), v.kindOf(k)}
			if !yield(first+k, pair) {
				return
			}
		}
	}
}

func (p *People) votes(u int) votes {
	lo, hi := p.pairStart[u], p.pairStart[u+1]
	v := votes{win: p.win[lo:hi], lose: p.lose[lo:hi]}
	if p.count != nil {
		v.count = p.count[lo:hi]
	}
	if p.kind != nil {
		v.kind = p.kind[lo:hi]
	}
	if p.answer != nil {
		v.answer = p.answer[lo:hi]
	}
	return v
}

// numbers is the room that the votes and sites of persons from lo to hi take, in
// numbers of eight bytes.
func (p *People) numbers(lo, hi int) int {
	return (p.itemStart[hi]-p.itemStart[lo])/2 + 4*(p.pairStart[hi]-p.pairStart[lo])
}

// largest returns the most items and the most pairs of a person.
func (p *People) largest() (items, pairs int) {
	for u := range p.Len() {
		items = max(items, p.itemStart[u+1]-p.itemStart[u])
		pairs = max(pairs, p.pairStart[u+1]-p.pairStart[u])
	}
	return items, pairs
}

// Subset returns the listed persons, wherever all of them are: in memory or on
// disk.
func (p *People) Subset(persons []int) (*People, error) {
	s, err := p.Listed(persons)
	if err == nil {
		err = s.sortByWork()
	}
	return s, err
}

// Listed is Subset with persons in the order of the list.
func (p *People) Listed(persons []int) (*People, error) {
	items, pairs := 0, 0
	for _, u := range persons {
		items += p.itemStart[u+1] - p.itemStart[u]
		pairs += p.pairStart[u+1] - p.pairStart[u]
	}
	s, err := p.disk.people(items, pairs, p.columns())
	if err != nil {
		return nil, err
	}
	s.items, s.kinds = p.items, p.kinds
	since := 0
	for _, u := range persons {
		v := p.votes(u)
		at, to := s.itemStart[s.Len()], s.pairStart[s.Len()]
		at += copy(s.item[at:], p.Items(u))
		copy(s.win[to:], v.win)
		copy(s.count[min(to, len(s.count)):], v.count)
		copy(s.kind[min(to, len(s.kind)):], v.kind)
		copy(s.answer[min(to, len(s.answer)):], v.answer)
		to += copy(s.lose[to:], v.lose)
		s.owner = append(s.owner, p.owner[u])
		s.itemStart, s.pairStart = append(s.itemStart, at), append(s.pairStart, to)
		if since += len(v.win); since > 4*room {
			p.disk.release()
			s.disk.release()
			since = 0
		}
	}
	return s, nil
}

// byWork returns the persons by work, most first, and whether they are so
// already.
func (p *People) byWork() (order []int, sorted bool) {
	order = num.Indices(p.Len())
	heavier := func(a, b int) int { return cmp.Compare(p.work(b), p.work(a)) }
	sorted = slices.IsSortedFunc(order, heavier)
	slices.SortStableFunc(order, heavier)
	return order, sorted
}

// sortByWork numbers the persons by work.
func (p *People) sortByWork() error {
	order, sorted := p.byWork()
	if sorted {
		return nil
	}
	s, err := p.Listed(order)
	if err == nil {
		*p = *s
	}
	return err
}
