package palate

import (
	"cmp"
	"iter"
	"slices"
)

// Components returns the connected components of the graph whose edges are the pairs compared (skips do not
// connect), as lists of items in ascending order: largest first, then by first item. Items never compared
// stand alone; items that were rated are on one scale, which connects them. Without features or a common scale
// nothing can be said across components.
func (d *Dataset) Components() [][]int {
	f := newForest(d.NumItems())
	last := int32(-1) // rated
	for k, o := range d.votes.outcome {
		f.connect(o, d.votes.left[k], d.votes.right[k], &last)
	}
	return f.trees()
}

// ComponentsOf returns the components as if the dataset held these votes instead of its own.
func (d *Dataset) ComponentsOf(votes iter.Seq2[int, Vote]) [][]int {
	f := newForest(d.NumItems())
	last := int32(-1)
	for _, v := range votes {
		f.connect(v.Outcome, int32(v.Left), int32(v.Right), &last)
	}
	return f.trees()
}

// connect joins what a vote connects: two items, or one and the last that was rated.
func (f forest) connect(o Outcome, left, right int32, last *int32) {
	switch {
	case o == Skip:
		return
	case o == Rated && *last >= 0:
		right = *last
	}
	if f.join(left, right); o == Rated {
		*last = left
	}
}

// forest holds the parent of each item; a root is its own, and its tree's first item.
type forest []int32

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = int32(i)
	}
	return f
}

func (f forest) root(i int32) int32 {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(a, b int32) {
	if a, b = f.root(a), f.root(b); a != b {
		f[max(a, b)] = min(a, b)
	}
}

// trees returns the items of each tree, the largest first.
func (f forest) trees() [][]int {
	size := make([]int32, len(f))
	for i := range f {
		size[f.root(int32(i))]++
	}
	var parts [][]int
	part := make([]int32, len(f))
	for i := range f {
		r := f.root(int32(i))
		if r == int32(i) {
			part[i] = int32(len(parts))
			parts = append(parts, make([]int, 0, size[i]))
		}
		parts[part[r]] = append(parts[part[r]], i)
	}
	slices.SortStableFunc(parts, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return parts
}
