package crowd

import (
	"cmp"
	"slices"
)

// mostOwn is how many items a voter may have a taste of their own for: the
// covariance of one who has seen a million items would not fit anywhere. Those
// compared most often have one, of equals the first.
const mostOwn = 400

// numberOwnItems gives every voter's items their places.
func (e *engine) numberOwnItems() {
	e.ownStart, e.place = []int{0}, make([][2]int16, e.Len())
	seen, at := map[int32]float64{}, map[int32]int16{}
	for u := range e.Voters() {
		clear(seen)
		clear(at)
		for p := e.start[u]; p < e.start[u+1]; p++ {
			index, _ := e.Votes.rows.Row(int(e.row[p]))
			for _, i := range index {
				seen[int32(i)] += e.count[p]
			}
		}
		items := make([]int32, 0, len(seen))
		for i := range seen {
			items = append(items, i)
		}
		slices.Sort(items)
		if len(items) > mostOwn {
			slices.SortStableFunc(items, func(a, b int32) int { return cmp.Compare(seen[b], seen[a]) })
			items = items[:mostOwn]
			slices.Sort(items)
		}
		for k, i := range items {
			at[i] = int16(k)
		}
		for p := e.start[u]; p < e.start[u+1]; p++ {
			index, _ := e.Votes.rows.Row(int(e.row[p]))
			for side, i := range index {
				place, ok := at[int32(i)]
				if !ok {
					place = -1
				}
				e.place[p][side] = place
			}
		}
		e.ownItem = append(e.ownItem, items...)
		e.ownStart = append(e.ownStart, len(e.ownItem))
	}
}

// ownItems returns the items that voter u has a taste of their own for, ascending.
func (e *engine) ownItems(u int) []int32 {
	if !e.own {
		return nil
	}
	return e.ownItem[e.ownStart[u]:e.ownStart[u+1]]
}

// ownVariance is that of own tastes; 1 without, where nothing has it.
func (e *engine) ownVariance() float64 {
	if !e.own {
		return 1
	}
	return 1 / e.ownScale.Mean()
}

// places returns the dimensions that are the voter's own tastes for winner and
// loser of vote p, −1 where there is none.
func (e *engine) places(p int) (i, j int) {
	if !e.own {
		return -1, -1
	}
	i, j = int(e.place[p][0]), int(e.place[p][1])
	if i >= 0 {
		i += e.c
	}
	if j >= 0 {
		j += e.c
	}
	return i, j
}
