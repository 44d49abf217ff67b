package kernel

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// testGraph has two components of several nodes, and nodes without links.
func testGraph() *Graph {
	g, err := NewGraph(14, []Edge{{0, 1, 1}, {1, 2, 0.5}, {2, 0, 2}, {3, 2, 1}, {4, 5, 1.5}, {5, 4, 0.25}, {6, 5, 1}, {7, 8, 3}})
	if err != nil {
		panic(err)
	}
	return g
}

// denseLaplacian is D − W, or its normalised form, without regard to components.
func denseLaplacian(g *Graph, normalised bool) *mat.Dense {
	n := g.Nodes()
	l := mat.NewDense(n, n, nil)
	for _, e := range g.Edges() {
		l.Set(e.From, e.To, -e.Weight)
		l.Set(e.To, e.From, -e.Weight)
		l.Set(e.From, e.From, l.At(e.From, e.From)+e.Weight)
		l.Set(e.To, e.To, l.At(e.To, e.To)+e.Weight)
	}
	if !normalised {
		return l
	}
	d := make([]float64, n)
	for i := range n {
		d[i] = l.At(i, i)
	}
	for i := range n {
		for j := range n {
			if d[i] > 0 && d[j] > 0 {
				l.Set(i, j, l.At(i, j)/math.Sqrt(d[i]*d[j]))
			}
		}
	}
	return l
}

// The kernel is the inverse, or the exponential, of the whole dense matrix.
func TestLinksAreDenseInverse(t *testing.T) {
	g := testGraph()
	n := g.Nodes()
	const beta, iota = 0.7, 1.8
	for s := range spreads {
		l := denseLaplacian(g, Spread(s) != Laplacian)
		var want mat.Dense
		if Spread(s) == Diffusion {
			l.Scale(-iota*iota/2, l)
			want.Exp(l)
			want.Scale(1/beta, &want)
		} else {
			for i := range n {
				l.Set(i, i, l.At(i, i)+1/(iota*iota))
			}
			l.Scale(beta, l)
			if err := want.Inverse(l); err != nil {
				t.Fatal(err)
			}
		}
		got := matrix(NewLinks(g, Spread(s), beta, iota), Indexed(n), Indexed(n))
		wantClose(t, Spread(s).String(), got, &want, 1e-12)
	}
}

// Links both ways, and links that are told twice, add up; no link crosses
// components; an identity the graph does not know is a node without links.
func TestGraphIsSymmetrised(t *testing.T) {
	g := testGraph()
	var both float64
	for _, e := range g.Edges() {
		if e.From >= e.To {
			t.Errorf("edge %v is not in order", e)
		}
		if e.From == 4 && e.To == 5 {
			both = e.Weight
		}
	}
	if both != 1.75 {
		t.Errorf("links of weight 1.5 and .25 sum to %v", both)
	}
	if got := len(g.Components()); got != 8 {
		t.Errorf("%d components, want 8", got)
	}
	k := NewLinks(g, Laplacian, 0.7, 1.8)
	m := matrix(k, Indexed(16), Indexed(16))
	if m.At(0, 4) != 0 || m.At(3, 15) != 0 || m.At(14, 15) != 0 || !(m.At(0, 3) > 0) {
		t.Errorf("covariances across components: %v, %v, %v; within: %v", m.At(0, 4), m.At(3, 15), m.At(14, 15), m.At(0, 3))
	}
	if m.At(15, 15) != m.At(13, 13) {
		t.Errorf("variance of an unknown node %v, of one without links %v", m.At(15, 15), m.At(13, 13))
	}
}

func TestBadGraphs(t *testing.T) {
	for _, e := range []Edge{{0, 0, 1}, {0, 3, 1}, {-1, 1, 1}, {0, 1, 0}, {0, 1, -1}, {0, 1, math.NaN()}, {0, 1, math.Inf(1)}} {
		if g, err := NewGraph(3, []Edge{{1, 2, 1}, e}); err == nil || g != nil || !strings.HasPrefix(err.Error(), "kernel: graph: link 1 ") {
			t.Errorf("link %v: error %v", e, err)
		}
	}
	if _, err := NewGraph(0, nil); err != nil {
		t.Errorf("a graph without nodes: %v", err)
	}
}
