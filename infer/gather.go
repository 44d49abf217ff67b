package infer

import (
	"fmt"
	"math"
	"slices"
)

// gather sorts the rows into blocks: groups with the answers within them, answers on their
// own, and rows that stand alone.
func (e *effects) gather(p *Problem) {
	group, answer := newGathering(), newGathering() // under way, if they have a block
	for r := range p.Rows.Len() {
		g, a := e.group(r), e.answer(r)
		if r == 0 || e.group(r-1) != g {
			group.block, answer.block = nil, nil
		}
		if r == 0 || e.answer(r-1) != a {
			answer.block = nil
		} else if a >= 0 && p.count(r) != p.count(r-1) {
			panic(fmt.Sprintf("infer: rows of answer %d are counted %g and %g times", a, p.count(r-1), p.count(r)))
		}
		if g < 0 && a < 0 {
			e.alone = append(e.alone, r)
			continue
		}
		if g >= 0 && group.block == nil {
			e.blocks = append(e.blocks, block{copies: 1})
			group.begin(&e.blocks[len(e.blocks)-1], e.own)
		}
		index, coef := e.rows.Row(r)
		if a < 0 {
			group.add(r, index, coef)
			continue
		}
		noise := func(coordinate int) float64 {
			if coordinate < e.items {
				return e.Noise
			}
			return 0
		}
		if g < 0 {
			if answer.block == nil {
				e.blocks = append(e.blocks, block{answer: true, copies: p.count(r)})
				answer.begin(&e.blocks[len(e.blocks)-1], noise)
			}
			answer.add(r, index, coef)
			continue
		}
		b := group.block
		if answer.block == nil {
			b.answers = append(b.answers, block{answer: true, copies: p.count(r)})
			answer.begin(&b.answers[len(b.answers)-1], func(place int) float64 { return noise(b.items[place]) })
		}
		places := make([]int, len(index))
		for k, i := range index {
			places[k] = group.at(i)
		}
		answer.add(r, places, coef)
	}
	for k := range e.blocks {
		e.blocks[k].makeRoom()
	}
}

// groups is the number of groups.
func (e *effects) groups() (n int) {
	for k := range e.blocks {
		if !e.blocks[k].answer {
			n++
		}
	}
	return n
}

// gathering is a block in the making.
type gathering struct {
	*block
	own   func(coordinate int) float64 // the variance of what is the block's own
	place map[int]int                  // of coordinates
	pair  map[[2]int]int               // of items, by their places
}

func newGathering() *gathering { return &gathering{place: map[int]int{}, pair: map[[2]int]int{}} }

// begin begins with another block.
func (g *gathering) begin(b *block, own func(coordinate int) float64) {
	g.block, g.own = b, own
	clear(g.place)
	clear(g.pair)
}

// at is the place of a coordinate in the block.
func (g *gathering) at(coordinate int) int {
	k, ok := g.place[coordinate]
	if !ok {
		k = len(g.items)
		g.place[coordinate] = k
		g.items, g.root = append(g.items, coordinate), append(g.root, math.Sqrt(g.own(coordinate)))
	}
	return k
}

// add adds row r of the problem, whose first two coordinates are items.
func (g *gathering) add(r int, index []int, coef []float64) {
	x, y, sign := g.at(index[0]), g.at(index[1]), 1.0
	if x > y {
		x, y, sign = y, x, -1
	}
	k, ok := g.pair[[2]int{x, y}]
	if !ok {
		k = len(g.pairs)
		g.pair[[2]int{x, y}] = k
		g.pairs = append(g.pairs, blockPair{at: []int{x, y}})
	}
	q := &g.pairs[k]
	form := make([]float64, 2, len(index))
	form[0], form[1] = sign*coef[0], sign*coef[1]
	for t, i := range index[2:] {
		here := g.at(i)
		s := slices.Index(q.at, here)
		if s < 0 {
			s = len(q.at)
			q.at = append(q.at, here)
		}
		for len(form) <= s {
			form = append(form, 0)
		}
		form[s] = coef[2+t]
	}
	g.rows = append(g.rows, blockRow{r, k, sign, form})
}

// makeRoom makes room for what a sweep finds of the block.
func (b *block) makeRoom() {
	m := len(b.items)
	for _, x := range []*[]float64{&b.eta, &b.mean, &b.shift} {
		*x = make([]float64, m)
	}
	for _, x := range []*[]float64{&b.lambda, &b.keep, &b.message, &b.reach} {
		*x = make([]float64, m*m)
	}
	for t := range b.pairs {
		b.pairs[t].pull = make([]float64, len(b.pairs[t].at))
	}
	for k := range b.answers {
		b.answers[k].makeRoom()
	}
}
