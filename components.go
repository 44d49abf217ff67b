package palate

import (
	"cmp"
	"slices"
)

// Components returns the connected components of the graph whose edges are the pairs compared (skips do not
// connect), as lists of items in ascending order: largest first, then by first item. Items never compared
// stand alone. Without features or a common scale nothing can be said across components.
func (d *Dataset) Components() [][]int {
	n := d.NumItems()
	parent := make([]int32, n)
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for k, o := range d.votes.outcome {
		if o == Skip {
			continue
		}
		a, b := root(d.votes.left[k]), root(d.votes.right[k])
		if a != b { // the smaller index leads, so that a root is its component's first item
			parent[max(a, b)] = min(a, b)
		}
	}
	size := make([]int32, n)
	for i := range parent {
		size[root(int32(i))]++
	}
	var parts [][]int
	part := make([]int32, n)
	for i := range parent {
		r := root(int32(i))
		if r == int32(i) {
			part[i] = int32(len(parts))
			parts = append(parts, make([]int, 0, size[i]))
		}
		parts[part[r]] = append(parts[part[r]], i)
	}
	slices.SortStableFunc(parts, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return parts
}
