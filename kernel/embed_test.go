package kernel

import (
	"math"
	"testing"

	"palate/internal/num"

	"gonum.org/v1/gonum/mat"
)

// The features are the smoothest eigenvectors of the random walk, as a dense
// decomposition finds them, in a graph of two parts and a node without links.
func TestEmbed(t *testing.T) {
	r := rng(3)
	const n = 40
	var edges []Edge
	for len(edges) < 110 { // nodes 0 to 24 and 25 to 38
		i, j := r.IntN(n-1), r.IntN(n-1)
		if i != j && (i < 25) == (j < 25) {
			edges = append(edges, Edge{i, j, 0.5 + r.Float64()})
		}
	}
	g, err := NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	const dims = 4
	x := g.Embed(dims)
	var eig mat.EigenSym
	if !eig.Factorize(g.laplacian(num.Indices(n), true), false) {
		t.Fatal("no eigenvalues")
	}
	want := eig.Values(nil) // of the lone node, of the constant, and then ours
	for c := range dims {
		var square, walk, off float64
		for i := range n {
			v := x.At(i, c)
			square += v * v / (n - 1)
			index, data := g.w.row(i)
			if len(index) == 0 {
				if v != 0 {
					t.Errorf("feature %d of a node without links is %v", c, v)
				}
				continue
			}
			lv := v
			for p, j := range index {
				lv -= data[p] / g.deg[i] * x.At(j, c)
			}
			off += math.Abs(lv - want[c+2]*v)
			walk += g.deg[i] * v
		}
		if math.Abs(square-1) > 1e-9 || math.Abs(walk) > 1e-8 || off > 1e-6 {
			t.Errorf("feature %d: mean square %v, weighted sum %v, off its eigenvector by %v", c, square, walk, off)
		}
	}
	if _, c := x.Dims(); c != dims {
		t.Errorf("%d features", c)
	}
	if none, _ := NewGraph(3, nil); none.Embed(2) != nil {
		t.Error("features without links")
	}
	pair, _ := NewGraph(3, []Edge{{0, 2, 1}})
	if x := pair.Embed(5); x == nil || x.At(1, 0) != 0 || math.Abs(x.At(0, 0)+x.At(2, 0)) > 1e-12 {
		t.Errorf("of a single link: %v", x)
	}
}
