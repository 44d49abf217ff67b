package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// meetings draws a graph: each item meets about so many others, at random, along a line,
// or in clusters that few comparisons join.
func meetings(n, each int, how string) *Laplacian {
	rng := rand.New(rand.NewPCG(6, uint64(n)))
	var rows Rows
	var sites []Site
	for range n * each / 2 {
		a, b := rng.IntN(n), rng.IntN(n)
		switch g := n / 10; {
		case how == "line":
			b = min(max(a+int(math.Round(6*rng.NormFloat64())), 0), n-1)
		case how == "tree":
			b = a / 3
		case how == "clusters" && rng.IntN(100) > 0:
			b = a/g*g + rng.IntN(g)
		}
		if a != b {
			rows.AppendPair(a, b)
			sites = append(sites, Site{Tau: 0.6 * rng.Float64()})
		}
	}
	prec := make([]float64, n)
	for i := range prec {
		prec[i] = 0.8
	}
	return NewComparisons(n, &rows).Laplacian(prec, sites, nil)
}

// apart returns how far deviations are apart, as shares: the mean square.
func apart(is, want []float64) float64 {
	var sum float64
	for i := range is {
		d := math.Sqrt(is[i]/want[i]) - 1
		sum += d * d / float64(len(is))
	}
	return math.Sqrt(sum)
}

// Without the inverse, variances of items and pairs are near those it has: by belief propagation
// and constants where items meet at random, by draws else; and the check by solves says which.
func TestVariancesWithoutInverse(t *testing.T) {
	const n = 600
	for how, allowed := range map[string]struct{ bethe, drawn float64 }{
		"tree": {1e-9, 0.03}, "random": {0.003, 0.006}, "line": {0.08, 0.014}, "clusters": {0.05, 0.01},
	} {
		l := meetings(n, 16, how)
		m, c := l.NewMessages(), l.NewCommon()
		l.Propagate(m, 1e-13)
		c.Find(l, m)
		want := inner{item: make([]float64, n), pair: make([]float64, len(l.pairs))}
		want.invert(l)
		pairs := func(in inner) []float64 {
			v := make([]float64, len(in.pair))
			for k, p := range l.pairs {
				v[k] = in.item[p[0]] + in.item[p[1]] - 2*in.pair[k]
			}
			return v
		}
		bethe := l.propagated(m, c)
		drawn := inner{item: make([]float64, n), pair: make([]float64, len(l.pairs))}
		l.sampled(&drawn)
		a, b := apart(bethe.item, want.item), apart(pairs(bethe), pairs(want))
		x, y := apart(drawn.item, want.item), apart(pairs(drawn), pairs(want))
		off := l.deviation(bethe)
		t.Logf("%s: messages %.2g, %.2g; draws %.2g, %.2g; check says %.2g", how, a, b, x, y, off)
		if max(a, b) > allowed.bethe || max(x, y) > allowed.drawn {
			t.Errorf("%s: messages are off by %.2g for items and %.2g for pairs, draws by %.2g and %.2g; allowed %+v", how, a, b, x, y, allowed)
		}
		if (off > nearDev) != (max(a, b) > nearDev) {
			t.Errorf("%s: the check says %.2g, items are off by %.2g and pairs by %.2g", how, off, a, b)
		}
		logDet := l.LogDet(m, c)
		if d := math.Abs(logDet - want.logDet); how == "tree" && d > 1e-8 || how == "random" && d > 0.1 {
			t.Errorf("%s: log determinant %g, by the inverse %g", how, logDet, want.logDet)
		}
	}
}

// Rows of the inverse by walks are near those it has, whatever the graph, and nothing lies
// between components.
func TestWalks(t *testing.T) {
	const n = 600
	for _, how := range []string{"tree", "random", "line", "clusters"} {
		l := meetings(n, 16, how)
		root, _ := l.inverseRoot()
		c := l.NewCommon()
		m := l.NewMessages()
		l.Propagate(m, 1e-13)
		c.Find(l, m)
		w := &walks{l: l}
		var worst float64
		for i := 0; i < n; i += 37 {
			x := w.row(i, n)
			for j := range n {
				worst = max(worst, math.Abs(x.among(c, i, j)-entry(root, i, j))/entry(root, i, i))
			}
			again := w.row(i, n/2) // as it was kept
			if len(again.value) != n || again.left != x.left {
				t.Errorf("%s: another row of item %d", how, i)
			}
		}
		if worst > 0.01 {
			t.Errorf("%s: an entry is off by %.2g of the diagonal", how, worst)
		}
		t.Logf("%s: %.2g", how, worst)
	}
}

// What the first items have together is the same without the chains between them.
func TestReduced(t *testing.T) {
	const n, more = 40, 200
	rng := rand.New(rand.NewPCG(3, 1))
	var rows Rows
	var sites []Site
	join := func(a, b int) {
		rows.AppendPair(a, b)
		sites = append(sites, Site{Tau: 0.1 + rng.Float64()})
	}
	for i := n; i < n+more; i++ {
		join(rng.IntN(n), i)
	}
	for range more {
		if a, b := rng.IntN(n+more), rng.IntN(n+more); a != b {
			join(a, b)
		}
	}
	prec := make([]float64, n+more)
	for i := range n {
		prec[i] = 0.7
	}
	l := NewComparisons(n+more, &rows).Laplacian(prec, sites, nil)
	r := l.reduced(n)
	if len(r.diag) >= len(l.diag)-more/4 {
		t.Errorf("%d of %d are left", len(r.diag), len(l.diag))
	}
	whole, _ := l.inverseRoot()
	part, _ := r.inverseRoot()
	for how, root := range map[string]simd.Triangular{"without chains": part, "alone": r.rootOfFirst(n)(), "alone, of all": l.rootOfFirst(n)()} {
		for i := range n {
			for j := range n {
				if a, b := entry(root, i, j), entry(whole, i, j); math.Abs(a-b) > 1e-10 {
					t.Fatalf("%s: entry %d, %d: %g, with all of them %g", how, i, j, a, b)
				}
			}
		}
	}
	if l.rootOfFirst(wholeItems+1) != nil {
		t.Error("a root of very many")
	}
	if root := meetings(2*mostJoined, 8, "anywhere").rootOfFirst(2)(); root.N != 0 {
		t.Error("very many that are joined were eliminated at once")
	}
}

// Solves are exact where pairs hold items together as one, however stiffly.
func TestSolveOfMates(t *testing.T) {
	const n = 400
	rng := rand.New(rand.NewPCG(3, 3))
	var rows Rows
	var sites []Site
	for i := 0; i < n; i += 2 {
		rows.AppendPair(i, i+1)
		sites = append(sites, Site{Tau: 1e4})
		rows.AppendPair(i, rng.IntN(n/2)*2+1)
		sites = append(sites, Site{Tau: rng.Float64()})
	}
	rows, sites = apartRows(rows, sites)
	prec := make([]float64, n)
	for i := range prec {
		prec[i] = float64(i%2) * 0.1
	}
	l := NewComparisons(n, &rows).Laplacian(prec, sites, nil)
	want := make([]float64, n)
	for i := range want {
		want[i] = rng.NormFloat64()
	}
	x, b := make([]float64, n), make([]float64, n)
	l.mul(b, want, 1)
	l.Solve(x, b, 1, 1e-12)
	for i := range x {
		if math.Abs(x[i]-want[i]) > 1e-6 {
			t.Fatalf("item %d: %g, not %g", i, x[i], want[i])
		}
	}
	if len(l.mates()) != n/2 {
		t.Errorf("%d pairs hold together, not %d", len(l.mates()), n/2)
	}
}

// apartRows leaves out rows of an item and itself.
func apartRows(rows Rows, sites []Site) (out Rows, kept []Site) {
	for r, s := range sites {
		if index, _ := rows.Row(r); index[0] != index[1] {
			out.AppendPair(index[0], index[1])
			kept = append(kept, s)
		}
	}
	return out, kept
}

// Utilities multiplied by c are drawn c times as far, from the same random numbers.
func TestScaled(t *testing.T) {
	const n, c = 60, 0.7
	rng := rand.New(rand.NewPCG(2, 9))
	var rows Rows
	var sites []Site
	for range 5 * n {
		if a, b := rng.IntN(n), rng.IntN(n); a != b {
			rows.AppendPair(a, b)
			sites = append(sites, Site{Tau: 0.6 * rng.Float64(), Nu: rng.NormFloat64()})
		}
	}
	all, first := White(n).Own(), White(n/2).Own()
	q, err := all.Posterior(0.8, &rows, sites, nil, Ways{})
	if err != nil {
		t.Fatal(err)
	}
	draw := func(q *Posterior) *mat.Dense {
		f, err := q.Sample(t.Context(), 20, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for name, q := range map[string]*Posterior{"all": q, "the first": q.First(first)} {
		// Without a root of the inverse draws are by solves, which see the precision itself.
		o := *q.own
		o.root = simd.Triangular{}
		q.own = &o
		scaled := q.Scaled(c)
		a, b := draw(q), draw(scaled)
		rows, cols := a.Dims()
		for r := range rows {
			for i := range cols {
				near(t, name+": draw", b.At(r, i), c*a.At(r, i), 1e-6)
			}
		}
		is, was := scaled.Covariance(), q.Covariance()
		for i := range cols {
			near(t, name+": mean", scaled.Utilities()[i], c*q.Utilities()[i], 1e-9)
			near(t, name+": variance", is.At(i, i), c*c*was.At(i, i), 1e-9)
		}
	}
}
