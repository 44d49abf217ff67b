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
			a := mat.NewDense(n, 1, nil)
			if err := g.solveBase(a, mat.NewDense(n, 1, mat.Row(nil, i, base))); err != nil {
				t.Fatal(err)
			}
			var c mat.Dense
			c.Mul(m, a)
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
			// A second new node has no links: it is one of its own.
			table, err := k.Extend(2, links, how)
			if err != nil {
				t.Fatal(err)
			}
			joint := matrix(table, Indexed(n+1), Indexed(n+1))
			cross := mat.Row(nil, n-1, joint)[:n-1]
			like := stat.Correlation(cross, want, nil)
			t.Logf("%v, %v: correlation of covariances %.3f, variance %.3f (exact %.3f)", Spread(s), how, like, joint.At(n-1, n-1), exact.At(n-1, n-1))
			if like < 0.8 {
				t.Errorf("%v, %v: correlation %v with the exact covariances", Spread(s), how, like)
			}
			wantClose(t, "known nodes", joint.Slice(0, n-1, 0, n-1), matrix(k, Indexed(n-1), Indexed(n-1)), 0)
			if joint.At(n, n) != k.lone() || joint.At(n, 0) != 0 || joint.At(n, n-1) != 0 {
				t.Errorf("%v, %v: a node without links has variance %v, covariances %v, %v", Spread(s), how, joint.At(n, n), joint.At(n, 0), joint.At(n, n-1))
			}
			var eig mat.EigenSym
			if !eig.Factorize(table.cov, false) || eig.Values(nil)[0] < -1e-10 {
				t.Errorf("%v, %v: the joint covariance is not positive", Spread(s), how)
			}
		}
	}
	k := NewLinks(part, Laplacian, 1, 2)
	for _, e := range []Edge{{n - 1, n, 1}, {n - 1, -1, 1}, {n - 1, 1, math.NaN()}, {n - 1, 1, -1}, {0, 1, 1}} {
		if _, err := k.Extend(1, []Edge{e}, Nystrom); err == nil {
			t.Errorf("link %v was taken", e)
		}
	}
}

// Extend reaches the graph kernels inside others and leaves the rest alone.
func TestExtendInside(t *testing.T) {
	g := testGraph()
	n := g.Nodes()
	links := NewLinks(g, Diffusion, 1, 2)
	k := Sum(Scale(3, links), Product(links, Identity{}), Scale(2, Identity{}))
	edges := []Edge{{0, n, 1}}
	e, err := Extend(k, 1, edges, Matching)
	if err != nil {
		t.Fatal(err)
	}
	table, err := links.Extend(1, edges, Matching)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]int{{0, n}, {n, n}, {1, 0}} {
		want := 3 * table.at(p[0], p[1])
		if p[0] == p[1] {
			want += table.at(n, n) + 2
		}
		if got := matrix(e, Indexed(n+1), Indexed(n+1)).At(p[0], p[1]); math.Abs(got-want) > 1e-12 {
			t.Errorf("covariance of %v is %v, want %v", p, got, want)
		}
	}
	if !HasLinks(k) || HasLinks(e) || HasLinks(Scale(1, Identity{})) {
		t.Error("HasLinks")
	}
	if _, err := Extend(k, 1, []Edge{{0, 1, 1}}, Matching); err == nil {
		t.Error("a link between known nodes was taken")
	}
}

// However a new node is linked, it varies as its neighbours do on average, and a
// part of that is its own: known and new nodes together have a covariance that
// can be inverted.
func TestInducedNodesAreLikeTheirNeighbours(t *testing.T) {
	for seed := range uint64(200) {
		r := rng(seed)
		n := 3 + r.IntN(20)
		link := func(i, j int) Edge { return Edge{i, j, 0.1 + 3*r.Float64()} }
		var known, links []Edge
		for i := 1; i < n; i++ { // trees, where nothing is told twice, and denser graphs
			for range 1 + 2*(seed%2) {
				if r.IntN(10) > 0 {
					known = append(known, link(i, r.IntN(i)))
				}
			}
		}
		for fresh := range 2 {
			for range 1 + r.IntN(4) {
				links = append(links, link(n+fresh, r.IntN(n)))
			}
		}
		g, err := NewGraph(n, known)
		if err != nil {
			t.Fatal(err)
		}
		for s := range spreads {
			for _, how := range []Induction{Matching, Nystrom} {
				k := NewLinks(g, Spread(s), 0.7, 3)
				table, err := k.Extend(2, links, how)
				if err != nil {
					t.Fatal(err)
				}
				var chol mat.Cholesky
				if !chol.Factorize(table.cov) {
					t.Fatalf("seed %d, %v, %v: the joint covariance is not positive definite", seed, Spread(s), how)
				}
				var u mat.TriDense
				chol.UTo(&u)
				for fresh := n; fresh < n+2; fresh++ {
					var want, degree float64
					for _, e := range links {
						if e.From == fresh {
							want += e.Weight * table.at(e.To, e.To)
							degree += e.Weight
						}
					}
					want /= degree
					if got := table.at(fresh, fresh); math.Abs(got-want) > 1e-10*want {
						t.Errorf("seed %d, %v, %v: variance %v, of the neighbours %v", seed, Spread(s), how, got, want)
					}
					if own := u.At(fresh, fresh) * u.At(fresh, fresh); own < 0.09*want {
						t.Errorf("seed %d, %v, %v: given the others its variance is %v of %v", seed, Spread(s), how, own, want)
					}
				}
			}
		}
	}
}
