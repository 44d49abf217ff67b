package crowd

import (
	"gonum.org/v1/gonum/mat"

	"palate/gp"
)

// graph is which items were compared.
type graph struct {
	rows  *gp.Rows
	parts [][]int         // components: items in ascending order
	part  []int32         // component of every item
	place []int32         // place of every item in its component
	most  int             // items that may hang together
	wide  *gp.Comparisons // where a component is too large to be inverted
}

// newGraph takes components of more than most items for too large; 0 stands for
// maxComponent.
func newGraph(items int, rows *gp.Rows, most int) *graph {
	parent := make([]int32, items)
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
	for r := range rows.Len() {
		index, _ := rows.Row(r)
		for _, j := range index[1:] {
			a, b := root(int32(index[0])), root(int32(j))
			parent[max(a, b)] = min(a, b)
		}
	}
	g := &graph{rows: rows, part: make([]int32, items), place: make([]int32, items)}
	for i := range parent {
		if r := int(root(int32(i))); r == i {
			g.part[i] = int32(len(g.parts))
			g.parts = append(g.parts, []int{i})
		} else {
			c := g.part[r]
			g.part[i], g.place[i] = c, int32(len(g.parts[c]))
			g.parts[c] = append(g.parts[c], i)
		}
	}
	if g.most = most; most == 0 {
		most = maxComponent
	}
	if g.largest() > most {
		g.wide = gp.NewComparisons(items, rows)
	}
	return g
}

// largest returns the size of the largest component.
func (g *graph) largest() (n int) {
	for _, p := range g.parts {
		n = max(n, len(p))
	}
	return n
}

// laplacians returns Λ, by component.
func (g *graph) laplacians(tau []float64) []*mat.SymDense {
	out := make([]*mat.SymDense, len(g.parts))
	for c, p := range g.parts {
		out[c] = mat.NewSymDense(len(p), nil)
	}
	for r, t := range tau {
		index, coef := g.rows.Row(r)
		m := out[g.part[index[0]]]
		for a, i := range index {
			for b := 0; b <= a; b++ {
				k, l := int(g.place[i]), int(g.place[index[b]])
				m.SetSym(k, l, m.At(k, l)+t*coef[a]*coef[b])
			}
		}
	}
	return out
}
