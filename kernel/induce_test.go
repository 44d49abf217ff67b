package kernel

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// On a known node, whose base similarities are a row of the base, Nyström gives
// the kernel itself.
func TestNystromIsExactOnKnownNodes(t *testing.T) {
	g := testGraph()
	n := g.Nodes()
	for s := range spreads {
		m := matrix(NewLinks(g, Spread(s), 0.7, 1.8), Indexed(n), Indexed(n))
		base := g.base()
		for i := range n {
			a := mat.NewVecDense(n, nil)
			if err := g.solveBase(a, mat.NewVecDense(n, mat.Row(nil, i, base))); err != nil {
				t.Fatal(err)
			}
			var c mat.VecDense
			c.MulVec(m, a)
			wantClose(t, Spread(s).String(), &c, m.ColView(i), 1e-10)
		}
	}
}

// A new node's covariances, by either induction, are much like those it would
// have as a node of the graph; a joint covariance stays positive.
func TestInduce(t *testing.T) {
	r := rng(20)
	const n = 60
	var all []Edge
	for len(all) < 240 {
		if i, j := r.IntN(n), r.IntN(n); i != j && (i/12 == j/12 || r.IntN(8) == 0) {
			all = append(all, Edge{i, j, 1})
		}
	}
	var known, links []Edge
	for _, e := range all { // the last node is the new one
		switch {
		case e.From == n-1:
			links = append(links, e)
		case e.To == n-1:
			links = append(links, Edge{e.To, e.From, e.Weight})
		default:
			known = append(known, e)
		}
	}
	whole, err := NewGraph(n, all)
	if err != nil {
		t.Fatal(err)
	}
	part, err := NewGraph(n-1, known)
	if err != nil {
		t.Fatal(err)
	}
	for s := range spreads {
		exact := matrix(NewLinks(whole, Spread(s), 1, 2), Indexed(n), Indexed(n))
		want := mat.Row(nil, n-1, exact)[:n-1]
		k := NewLinks(part, Spread(s), 1, 2)
		for _, how := range []Induction{Matching, Nystrom} {
			cross, v, err := k.Induce(links, how)
			if err != nil {
				t.Fatal(err)
			}
			like := stat.Correlation(cross, want, nil)
			t.Logf("%v, induction %d: correlation of covariances %.3f, variance %.3f (exact %.3f)", Spread(s), how, like, v, exact.At(n-1, n-1))
			if like < 0.8 {
				t.Errorf("%v, induction %d: correlation %v with the exact covariances", Spread(s), how, like)
			}
			joint := mat.NewSymDense(n, nil)
			for i := range n - 1 {
				for j := i; j < n-1; j++ {
					joint.SetSym(i, j, k.at(i, j))
				}
				joint.SetSym(i, n-1, cross[i])
			}
			joint.SetSym(n-1, n-1, v)
			var eig mat.EigenSym
			if !eig.Factorize(joint, false) || eig.Values(nil)[0] < -1e-10 {
				t.Errorf("%v, induction %d: the joint covariance is not positive", Spread(s), how)
			}
		}
	}
	k := NewLinks(part, Laplacian, 1, 2)
	if cross, v, err := k.Induce(nil, Matching); err != nil || v != k.lone() || cross[0] != 0 {
		t.Errorf("without links: %v, %v, %v", cross[0], v, err)
	}
	for _, e := range []Edge{{0, n, 1}, {0, -1, 1}, {0, 1, math.NaN()}, {0, 1, -1}} {
		if _, _, err := k.Induce([]Edge{e}, Nystrom); err == nil {
			t.Errorf("link %v was taken", e)
		}
	}
}
