package gp

import "slices"

// Comparisons are the pairs of items that rows compare, each with all its rows.
type Comparisons struct {
	rows  *Rows
	pairs [][2]int32
	of    []int32 // of every row its pair, or −1−i for a row of item i alone
	first []int32 // of every pair, where its rows begin in list
	list  []int32 // rows of pairs, pair after pair
	start []int32 // of every item, where its ends begin
	ends  []end
}

// end is a pair as one of its items sees it.
type end struct {
	other, pair int32
}

// NewComparisons reads rows of one item, or of the difference of two.
func NewComparisons(items int, rows *Rows) *Comparisons {
	g := &Comparisons{rows: rows, of: make([]int32, rows.Len()), start: make([]int32, items+1)}
	type key struct {
		pair [2]int32
		row  int32
	}
	keys := make([]key, 0, rows.Len())
	for r := range rows.Len() {
		index, coef := rows.Row(r)
		switch {
		case len(index) == 1:
			g.of[r] = int32(-1 - index[0])
		case len(index) == 2 && coef[0] == -coef[1] && index[0] != index[1]:
			a, b := int32(min(index[0], index[1])), int32(max(index[0], index[1]))
			keys = append(keys, key{[2]int32{a, b}, int32(r)})
		default:
			panic("gp: with own parts a row is that of an item or of a difference")
		}
	}
	slices.SortFunc(keys, func(x, y key) int {
		if c := slices.Compare(x.pair[:], y.pair[:]); c != 0 {
			return c
		}
		return int(x.row) - int(y.row)
	})
	g.list = make([]int32, len(keys))
	for k, x := range keys {
		g.list[k] = x.row
		if k == 0 || x.pair != keys[k-1].pair {
			g.pairs = append(g.pairs, x.pair)
			g.first = append(g.first, int32(k))
			g.start[x.pair[0]+1]++
			g.start[x.pair[1]+1]++
		}
		g.of[x.row] = int32(len(g.pairs) - 1)
	}
	g.first = append(g.first, int32(len(keys)))
	for i := range items {
		g.start[i+1] += g.start[i]
	}
	at := slices.Clone(g.start[:items])
	g.ends = make([]end, 2*len(g.pairs))
	for k, x := range g.pairs {
		for side, i := range x {
			g.ends[at[i]] = end{x[1-side], int32(k)}
			at[i]++
		}
	}
	return g
}

// with returns those of more items, which nothing is compared with.
func (g *Comparisons) with(items int) *Comparisons {
	out := *g
	out.start = slices.Clone(g.start)
	for len(out.start) <= items {
		out.start = append(out.start, g.start[len(g.start)-1])
	}
	return &out
}

// Pairs returns the items of every pair, the smaller first, in ascending order; not to
// be modified.
func (g *Comparisons) Pairs() [][2]int32 { return g.pairs }

// RowsOf returns the rows of pair k, not to be modified.
func (g *Comparisons) RowsOf(k int) []int32 { return g.list[g.first[k]:g.first[k+1]] }

// components returns of every item the number of its component, numbered by their
// first items, and how many there are.
func (g *Comparisons) components() (of []int32, n int) {
	of = make([]int32, len(g.start)-1)
	for i := range of {
		of[i] = -1
	}
	var next []int32
	for i := range of {
		if of[i] >= 0 {
			continue
		}
		of[i] = int32(n)
		for next = append(next[:0], int32(i)); len(next) > 0; {
			j := next[len(next)-1]
			next = next[:len(next)-1]
			for _, e := range g.endsOf(int(j)) {
				if of[e.other] < 0 {
					of[e.other] = int32(n)
					next = append(next, e.other)
				}
			}
		}
		n++
	}
	return of, n
}

func (g *Comparisons) endsOf(i int) []end { return g.ends[g.start[i]:g.start[i+1]] }

// between returns the pair of two items, −1 without.
func (g *Comparisons) between(i, j int) int {
	list := g.endsOf(i) // pairs are sorted, so an item's ends are, by the other item
	k, ok := slices.BinarySearchFunc(list, int32(j), func(e end, j int32) int { return int(e.other - j) })
	if !ok {
		return -1
	}
	return int(list[k].pair)
}
