package population

import (
	"fmt"
	"math"
)

// Arrays are people as flat arrays, for files.
type Arrays struct {
	ItemStart, Items, PairStart []int64
	Pairs                       []int64 // winner and loser, positions among the person's items
	Count                       []float64
	Kind                        []uint8
	Answer                      []int64
	Kinds                       []Observation
	Owner                       []int64
}

// Column is an array as a function, so that what is on disk can stay there.
type Column struct {
	Len int
	At  func(k int) int64
}

// Columns are people as Arrays has them, but for counts and kinds. There are no answers
// where all pairs are votes.
type Columns struct{ ItemStart, Items, PairStart, Pairs, Owner, Answer Column }

// Columns returns the people as columns.
func (p *People) Columns() Columns {
	of := func(s []int) Column { return Column{len(s), func(k int) int64 { return int64(s[k]) }} }
	return Columns{
		ItemStart: of(p.itemStart), PairStart: of(p.pairStart), Owner: of(p.owner),
		Answer: Column{len(p.answer), func(k int) int64 { return int64(p.answer[k]) }},
		Items:  Column{len(p.item), func(k int) int64 { return int64(p.item[k]) }},
		Pairs: Column{2 * p.NumPairs(), func(k int) int64 {
			if k%2 == 0 {
				return int64(p.win[k/2])
			}
			return int64(p.lose[k/2])
		}},
	}
}

// Counts returns how often each pair was seen, nil when all were once, and
// KindOf the kind of each, nil when all are the first.
func (p *People) Counts() []float64 { return p.count }
func (p *People) KindOf() []uint8   { return p.kind }

// People checks arrays that may come from anywhere and returns the people.
func (a Arrays) People(items int) (*People, error) {
	n := len(a.Owner)
	if len(a.ItemStart) != n+1 || len(a.PairStart) != n+1 || len(a.Kinds) == 0 || len(a.Kinds) > math.MaxUint8+1 {
		return nil, fmt.Errorf("population: %d persons, but %d and %d starts and %d kinds", n, len(a.ItemStart), len(a.PairStart), len(a.Kinds))
	}
	pairs := len(a.Pairs) / 2
	if len(a.Pairs)%2 != 0 || a.Count != nil && len(a.Count) != pairs || a.Kind != nil && len(a.Kind) != pairs || a.Answer != nil && len(a.Answer) != pairs {
		return nil, fmt.Errorf("population: %d numbers of pairs, %d counts, %d kinds, %d answers", len(a.Pairs), len(a.Count), len(a.Kind), len(a.Answer))
	}
	for _, k := range a.Kinds {
		if !(k.Power > 0 && k.Power <= 1) || k.Side < -1 || k.Side > 1 || k.Drawn && (k.Power != 1 || k.Side != 0) {
			return nil, fmt.Errorf("population: kind with power %v and side %d", k.Power, k.Side)
		}
	}
	for k, c := range a.Count {
		if !(c > 0) || math.IsInf(c, 1) {
			return nil, fmt.Errorf("population: pair %d has count %v", k, c)
		}
	}
	for k, c := range a.Kind {
		if int(c) >= len(a.Kinds) {
			return nil, fmt.Errorf("population: pair %d is of kind %d of %d", k, c, len(a.Kinds))
		}
	}
	p := &People{items: items, count: a.Count, kind: a.Kind, kinds: a.Kinds}
	narrow := func(starts []int64, total int) ([]int, error) {
		out := make([]int, len(starts))
		for i, x := range starts {
			out[i] = int(x)
			if i == 0 && x != 0 || i > 0 && x <= starts[i-1] || i == n && x != int64(total) {
				return nil, fmt.Errorf("population: starts %d of %d do not ascend from 0 to %d", i, len(starts), total)
			}
		}
		return out, nil
	}
	var err error
	if p.itemStart, err = narrow(a.ItemStart, len(a.Items)); err != nil {
		return nil, err
	}
	if p.pairStart, err = narrow(a.PairStart, pairs); err != nil {
		return nil, err
	}
	p.item = make([]int32, len(a.Items))
	p.win, p.lose = make([]uint16, pairs), make([]uint16, pairs)
	for u := range n {
		lo, hi := p.itemStart[u], p.itemStart[u+1]
		for k := lo; k < hi; k++ {
			x := a.Items[k]
			if x < 0 || x >= int64(items) || k > lo && x <= a.Items[k-1] {
				return nil, fmt.Errorf("population: person %d: item %d of %d", u, x, items)
			}
			p.item[k] = int32(x)
		}
		m := int64(hi - lo)
		if m > maxItems {
			return nil, fmt.Errorf("population: person %d: %d items", u, m)
		}
		for k := p.pairStart[u]; k < p.pairStart[u+1]; k++ {
			i, j := a.Pairs[2*k], a.Pairs[2*k+1]
			if i < 0 || j < 0 || i >= m || j >= m || i == j {
				return nil, fmt.Errorf("population: person %d: pair %d and %d of %d items", u, i, j, m)
			}
			p.win[k], p.lose[k] = uint16(i), uint16(j)
		}
		p.owner = append(p.owner, int(a.Owner[u]))
	}
	if err := p.setAnswers(a.Answer); err != nil {
		return nil, err
	}
	return p, p.sortByWork()
}
