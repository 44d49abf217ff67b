package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// linkedWorld draws utilities of linked items, about so many links each, and votes on
// them.
func linkedWorld(t *testing.T, items, degree, votes, voters int, seed uint64) (*palate.Dataset, *kernel.Graph, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 12))
	var edges []kernel.Edge
	for range items * degree / 2 {
		if a, b := rng.IntN(items), rng.IntN(items); a != b {
			edges = append(edges, kernel.Edge{From: a, To: b, Weight: 1})
		}
	}
	g, err := kernel.NewGraph(items, edges)
	if err != nil {
		t.Fatal(err)
	}
	f := make([]float64, items)
	for i := range f {
		f[i] = 3 * rng.NormFloat64()
	}
	for range 3 { // what is linked is alike
		next := make([]float64, items)
		near := make([]float64, items)
		for _, e := range g.Edges() {
			next[e.From] += f[e.To]
			next[e.To] += f[e.From]
			near[e.From]++
			near[e.To]++
		}
		for i := range f {
			f[i] = (f[i] + next[i]) / (1 + near[i]) * math.Sqrt(1+0.5*near[i])
		}
	}
	b := palate.NewBuilder()
	for i := range f {
		f[i] += 0.5 * rng.NormFloat64()
		b.Item("i" + string(rune('a'+i/26/26%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i%26)))
	}
	for range votes {
		v := palate.Vote{Left: rng.IntN(items), Right: rng.IntN(items), User: -1, Weight: 1}
		if v.Left == v.Right {
			continue
		}
		if voters > 0 {
			v.User = b.User("v" + string(rune('a'+rng.IntN(voters))))
		}
		if v.Outcome = palate.Left; f[v.Left]-f[v.Right]+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d := built(t, b)
	return d, g, f
}

// A fit along links is the dense fit: at the same kernel and scale means, deviations, chances
// and evidence agree, and what it learns is no worse.
func TestLinkGraphIsDense(t *testing.T) {
	for name, w := range map[string]struct{ items, degree, votes int }{
		"plain": {80, 5, 600}, "few votes": {80, 6, 60}, "few links": {60, 1, 500}, "many": {12, 4, 900},
	} {
		t.Run(name, func(t *testing.T) {
			d, g, _ := linkedWorld(t, w.items, w.degree, w.votes, 0, 3)
			graph := fit(t, d, &Options{Links: g, LinkKernel: kernel.Laplacian, DenseLimit: 1})
			if graph.links == nil {
				t.Fatal("not along the links")
			}
			learnt := fit(t, d, &Options{Links: g, LinkKernel: kernel.Laplacian})
			start := kernel.Sum(evenLinks(g, nil, kernel.Laplacian, 0.5), kernel.Scale(0.5, kernel.Identity{})).Params()
			height := func(m *Single) float64 {
				lp, _ := graph.scalePrior().logDensity(math.Log(m.Fit().Scale))
				for k, x := range m.kernel.Params() {
					by := (x - start[k]) / pull
					lp -= by * by / 2
				}
				return m.Fit().Objective + lp
			}
			if a, b := height(graph), height(learnt); !(a > b-1e-4) {
				t.Errorf("objective %.6f along the links (%v, scale %g), %.6f (%v, scale %g)", a, graph.kernel.Params(), graph.Fit().Scale, b, learnt.kernel.Params(), learnt.Fit().Scale)
			}
			prior, err := gp.Dense(graph.kernel, learnt.x)
			if err != nil {
				t.Fatal(err)
			}
			dense := *learnt
			if dense.result, err = infer.Run(t.Context(), learnt.problem(prior, graph.Fit().Scale, graph.voting, 0), nil); err != nil {
				t.Fatal(err)
			}
			near(t, "evidence", graph.Fit().Objective, dense.result.Objective, 1e-5)
			for i := range d.NumItems() {
				a, va := graph.Utility(-1, i)
				b, vb := dense.Utility(-1, i)
				near(t, "mean", (a-b)/math.Sqrt(vb), 0, 1e-5)
				near(t, "deviation", math.Sqrt(va/vb), 1, 1e-5)
				j := (i + 1) % d.NumItems()
				near(t, "chance", graph.Prefer(-1, i, j), dense.Prefer(-1, i, j), 1e-5)
			}
		})
	}
}

// A model along links is the same after its file, and takes in items that join the graph
// as if they had been there, without votes.
func TestLinkGraphFileAndExtension(t *testing.T) {
	d, g, _ := linkedWorld(t, 60, 4, 400, 5, 7)
	m := fit(t, d, &Options{Links: g, LinkKernel: kernel.Laplacian, DenseLimit: 1})
	var file bytes.Buffer
	if err := m.Save(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	loaded, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	again := loaded.(*Single)
	for i := range 60 {
		a, va := m.Utility(-1, i)
		b, vb := again.Utility(-1, i)
		if a != b || va != vb || m.Prefer(-1, i, (i+7)%60) != again.Prefer(-1, i, (i+7)%60) {
			t.Errorf("item %d: %g ± %g, and %g ± %g after its file", i, a, va, b, vb)
		}
	}
	links := []kernel.Edge{{From: 3, To: 60, Weight: 2}, {From: 60, To: 11, Weight: 1}}
	more, err := again.ExtendLinked([]string{"new", "alone"}, nil, links, kernel.Matching)
	if err != nil {
		t.Fatal(err)
	}
	_, alone := more.Utility(-1, 61)
	mean, v := more.Utility(-1, 60)
	a, _ := more.Utility(-1, 3)
	b, _ := more.Utility(-1, 11)
	if !(v < alone && mean*(2*a+b) > 0 && math.Abs(mean) < math.Max(math.Abs(a), math.Abs(b))) {
		t.Errorf("a new item at %g ± %g between %g and %g, and one without links at ± %g", mean, math.Sqrt(v), a, b, math.Sqrt(alone))
	}
	if _, err := again.ExtendLinked([]string{"new"}, nil, links[:1], kernel.Nystrom); err == nil {
		t.Error("Nyström's matrix along links")
	}
}

// There is no limit to linked items without features, nor anything that grows with their
// square: above that of a dense covariance the regularised Laplacian stands in for diffusion.
// With features, and by kernels of which no precision is sparse, there is one.
func TestLinkGraphHasNoLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("many items")
	}
	const n, most = maxLinked + 1000, 150 << 20 // the covariance has 288 MB
	d, g, truth := linkedWorld(t, n, 6, n, 0, 13)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := fit(t, d, &Options{Links: g})
	b, err := NewBoard(t.Context(), m, -1, &BoardOptions{Draws: 100})
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, n)
	m.CovarianceTo(dst, -1, 5, num.Indices(n))
	runtime.ReadMemStats(&after)
	if got := after.HeapSys - before.HeapSys; got > most && after.HeapSys > before.HeapSys {
		t.Errorf("%d MB for %d items", got>>20, n)
	}
	if _, _, ok := kernel.Regularised(m.Kernel()); !ok || m.Fit().Status != infer.Converged {
		t.Errorf("%v by %v", m.Fit().Status, m.Kernel())
	}
	var right, pairs float64
	for _, group := range b.Groups {
		for k, r := range group.Rows[1:] {
			pairs++
			if truth[group.Rows[k/2].Item] > truth[r.Item] {
				right++
			}
		}
	}
	if !(right > 0.6*pairs) {
		t.Errorf("%g of %g pairs in order", right, pairs)
	}
	if _, err := FitSingle(t.Context(), d, &Options{Links: g, LinkKernel: kernel.Normalised}); err == nil {
		t.Error("a covariance of all items")
	}
	if _, err := NewLinked(make([]string, n), nil, kernel.Indexed(n), nil); err == nil {
		t.Error("votes one by one, with a covariance of all items")
	}
}
