package population

import (
	"cmp"
	"fmt"
	"slices"
)

// Gathered are people of many shards on one machine, in files that vanish with Close.
type Gathered struct {
	Engine *Engine
	maps   *mapping
}

// Close gives the disk back. The engine is not to be used afterwards.
func (g *Gathered) Close() { g.maps.close() }

// place is a person of a shard.
type place struct {
	work, owner  int
	items, pairs int32
	shard, index int32
}

// Gather puts the people of shards together, with their sites, on disk in a folder. They
// are numbered by work, as those of one machine are. open returns the people and sites of
// a shard, and for each of its users the number among all; it is called twice for each.
func Gather(dir string, shards int, open func(shard int) (*Engine, []int, error), s Settings) (*Gathered, error) {
	var places []place
	kinds := []Observation{{Power: 1}}
	var has columns
	items, pairs, n := 0, 0, 0
	for k := range shards {
		e, users, err := open(k)
		if err != nil {
			return nil, err
		}
		p := e.People
		if k > 0 && p.items != n {
			return nil, fmt.Errorf("population: shard %d is about %d items, others are about %d", k, p.items, n)
		}
		n = p.items
		has = has.or(p.columns())
		for _, kind := range p.kinds {
			if !slices.Contains(kinds, kind) {
				kinds, has.kind = append(kinds, kind), true
			}
		}
		for u := range p.Len() {
			owner := p.owner[u]
			if owner >= 0 {
				owner = users[owner]
			}
			at := place{p.work(u), owner, int32(p.itemStart[u+1] - p.itemStart[u]), int32(p.pairStart[u+1] - p.pairStart[u]), int32(k), int32(u)}
			items, pairs = items+int(at.items), pairs+int(at.pairs)
			places = append(places, at)
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(b.work, a.work), cmp.Compare(a.owner, b.owner), cmp.Compare(a.shard, b.shard), cmp.Compare(a.index, b.index))
	})
	g := &Gathered{maps: &mapping{dir: dir}}
	all, err := g.maps.people(items, pairs, has)
	if err != nil {
		return nil, err
	}
	all.items, all.kinds = n, kinds
	of := make([][]int32, shards) // the numbers of each shard's people
	for u, at := range places {
		for len(of[at.shard]) <= int(at.index) {
			of[at.shard] = append(of[at.shard], 0)
		}
		of[at.shard][at.index] = int32(u)
		all.owner = append(all.owner, at.owner)
		all.itemStart, all.pairStart = append(all.itemStart, all.itemStart[u]+int(at.items)), append(all.pairStart, all.pairStart[u]+int(at.pairs))
	}
	if g.Engine, err = NewEngine(all, s); err != nil {
		g.Close()
		return nil, err
	}
	for k := range shards {
		e, _, err := open(k)
		if err != nil {
			g.Close()
			return nil, err
		}
		if e.People.Len() != len(of[k]) {
			g.Close()
			return nil, fmt.Errorf("population: shard %d has changed meanwhile", k)
		}
		for u, to := range of[k] {
			g.take(int(to), e, u)
		}
		g.Engine.release()
	}
	return g, nil
}

// take copies person u of a shard to a place.
func (g *Gathered) take(to int, e *Engine, u int) {
	p, all := e.People, g.Engine.People
	v, lo, at := p.votes(u), p.pairStart[u], all.pairStart[to]
	copy(all.item[all.itemStart[to]:], p.Items(u))
	copy(all.win[at:], v.win)
	copy(all.lose[at:], v.lose)
	for q := range v.win {
		if all.count != nil {
			all.count[at+q] = v.countOf(q)
		}
		if all.kind != nil {
			all.kind[at+q] = uint8(slices.Index(all.kinds, p.kinds[v.kindOf(q)]))
		}
		if all.answer != nil {
			all.answer[at+q] = v.answerOf(q)
		}
		g.Engine.Tau[at+q], g.Engine.Nu[at+q] = e.Tau[lo+q], e.Nu[lo+q]
	}
}
