package gp

import "slices"

// Comparisons are the pairs of items that rows compare, each with all its rows.
type Comparisons struct {
	rows  *Rows
	pairs [][2]int32
	of    []int32 // of every row its pair, or −1−i for a row of item i alone
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
	for k, x := range keys {
		if k == 0 || x.pair != keys[k-1].pair {
			g.pairs = append(g.pairs, x.pair)
			g.start[x.pair[0]+1]++
			g.start[x.pair[1]+1]++
		}
		g.of[x.row] = int32(len(g.pairs) - 1)
	}
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
