package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
	"palate/metric"
)

// citations are votes between items of topics that link to each other. Some
// items have links and no votes.
func citations(t testing.TB, seed uint64) (d *palate.Dataset, g *kernel.Graph, truth []float64, unseen []int) {
	t.Helper()
	const n, topics, silent = 60, 5, 10
	rng := rand.New(rand.NewPCG(seed, 4))
	worth := make([]float64, topics)
	for k := range worth {
		worth[k] = 2 * rng.NormFloat64()
	}
	b := palate.NewBuilder()
	topic := make([]int, n)
	truth = make([]float64, n)
	for i := range n {
		b.Item(numbered(n)[i])
		topic[i] = i % topics
		truth[i] = worth[topic[i]] + 0.4*rng.NormFloat64()
	}
	var edges []kernel.Edge
	for len(edges) < 4*n {
		i, j := rng.IntN(n), rng.IntN(n)
		if i != j && (topic[i] == topic[j] || rng.IntN(20) == 0) {
			edges = append(edges, kernel.Edge{From: i, To: j, Weight: 1})
		}
	}
	for range 120 {
		i, j := rng.IntN(n-silent), rng.IntN(n-silent)
		if i == j {
			continue
		}
		v := palate.Vote{User: -1, Left: i, Right: j, Weight: 1}
		if truth[i]-truth[j]+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if g, err = kernel.NewGraph(n, edges); err != nil {
		t.Fatal(err)
	}
	for i := n - silent; i < n; i++ {
		unseen = append(unseen, i)
	}
	return d, g, truth, unseen
}

// tau compares the model's order of some items with the truth.
func tau(m Predictor, truth []float64, items []int) float64 {
	var x, y []float64
	for _, i := range items {
		mean, _ := m.Utility(-1, i)
		x, y = append(x, mean), append(y, truth[i])
	}
	return metric.KendallTauB(x, y)
}

// Links are found to matter: the evidence rises, the order is better, and items
// without votes find their place.
func TestLinksAreLearnt(t *testing.T) {
	d, g, truth, unseen := citations(t, 1)
	without, with := fit(t, d, nil), fit(t, d, &Options{Links: g})
	if a, b := without.Fit().Objective, with.Fit().Objective; b < a+3 {
		t.Errorf("log evidence %v without links, %v with", a, b)
	}
	all := num.Indices(d.NumItems())
	if a, b := tau(without, truth, all), tau(with, truth, all); b < a+0.1 {
		t.Errorf("τ %v without links, %v with", a, b)
	}
	if got := tau(with, truth, unseen); got < 0.4 {
		t.Errorf("τ of items without votes %v", got)
	}
	if len(with.Groups()) != 1 || len(without.Groups()) < 10 {
		t.Errorf("%d groups with links, %d without", len(with.Groups()), len(without.Groups()))
	}
	// What was learnt is where the evidence is highest.
	at := with.Kernel().Params()
	for k, name := range with.Kernel().ParamNames() {
		if !ofLinks(name) {
			continue
		}
		for _, step := range []float64{-1, 1} {
			p := append([]float64(nil), at...)
			p[k] += step
			o := &Options{Kernel: with.Kernel().With(p), Scale: with.Fit().Scale}
			if r := evidence(t, d, o); r > with.Fit().Objective+0.5 { // the priors pull a little
				t.Errorf("%s moved by %v: log evidence %v, learnt %v", name, step, r, with.Fit().Objective)
			}
		}
	}
}

// evidence is that of votes under a kernel that needs no features.
func evidence(t *testing.T, d *palate.Dataset, o *Options) float64 {
	t.Helper()
	m, err := NewLinked(numbered(d.NumItems()), o.Kernel, kernel.Indexed(d.NumItems()), &LinkedOptions{Scale: o.Scale})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.Votes() {
		if err := m.Observe(v); err != nil {
			t.Fatal(err)
		}
	}
	m.Revisit(t.Context(), 1e-9, 200)
	r, err := m.online.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r.Objective
}

// A model with links, with and without features, comes back from its file.
func TestLinksRoundTrip(t *testing.T) {
	d, g, _, _ := citations(t, 2)
	for _, featured := range []bool{false, true} {
		if featured {
			n := d.NumItems()
			f := &palate.Features{Names: []string{"x"}, Rows: n, Cols: 1, Data: make([]float64, n)}
			for i := range f.Data {
				f.Data[i] = math.Sin(float64(i))
			}
			b := palate.NewBuilder()
			for i := range n {
				b.Item(d.ItemID(i))
			}
			for _, v := range d.Votes() {
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
			b.SetItemFeatures(f)
			var err error
			if d, err = b.Build(); err != nil {
				t.Fatal(err)
			}
		}
		m := fit(t, d, &Options{Links: g})
		back := reopened(t, m)
		for i := range d.NumItems() {
			ma, va := m.Utility(-1, i)
			mb, vb := back.Utility(-1, i)
			near(t, "mean", mb, ma, 1e-9)
			near(t, "variance", vb, va, 1e-9)
		}
		// The covariances are those behind Prefer.
		others := num.Indices(d.NumItems())
		c := make([]float64, len(others))
		m.CovarianceTo(c, -1, 3, others)
		_, v3 := m.Utility(-1, 3)
		near(t, "own covariance", c[3], v3, 1e-9)
		m7, v7 := m.Utility(-1, 7)
		m3, _ := m.Utility(-1, 3)
		near(t, "chance", m.voting.prefer(m3-m7, v3+v7-2*c[7]), m.Prefer(-1, 3, 7), 1e-9)
	}
}

func TestJoined(t *testing.T) {
	got := joined([][]int{{0, 1}, {2}, {3}, {4, 5}}, [][]int{{1, 2}, {0}, {3}, {4}, {5}})
	if len(got) != 3 || len(got[0]) != 3 || got[0][2] != 2 || got[1][0] != 4 || got[2][0] != 3 {
		t.Errorf("joined: %v", got)
	}
}

func TestLinksRefuse(t *testing.T) {
	d, _, _, _ := citations(t, 3)
	small, err := kernel.NewGraph(2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FitSingle(t.Context(), d, &Options{Links: small}); err == nil {
		t.Error("a graph of two nodes for 60 items")
	}
}

// What a model says of all items at once is what it says of each, and the
// covariances are those behind its win probabilities.
func TestJointIsUtility(t *testing.T) {
	d, g, _, _ := citations(t, 4)
	n := d.NumItems()
	glicko, err := NewGlicko(numbered(n), 2, Diagonal)
	if err != nil {
		t.Fatal(err)
	}
	linked := newLinked(t, n, nil)
	single := fit(t, d, nil)
	single.integrated = false // chances at the likeliest scale
	for _, v := range d.Votes() {
		observeAll(t, glicko, []palate.Vote{v})
		observeAll(t, linked, []palate.Vote{v})
	}
	featured, _ := simulate(t, SimulateOptions{Items: n, Votes: 200, Features: 2, Seed: 1})
	for name, m := range map[string]interface {
		Predictor
		Joint
	}{
		"glicko": glicko, "linked": linked, "single": single, "single with links": fit(t, d, &Options{Links: g}),
		"inducing points": fit(t, featured, &Options{Inducing: 20, Scale: 1}),
	} {
		mean, variance := make([]float64, n), make([]float64, n)
		m.UtilitiesTo(t.Context(), mean, variance, -1)
		c := make([]float64, n)
		m.CovarianceTo(c, -1, 5, num.Indices(n))
		for i := range n {
			mu, v := m.Utility(-1, i)
			near(t, name+": mean", mean[i], mu, 1e-9)
			near(t, name+": variance", variance[i], v, 1e-9)
			if i == 5 {
				near(t, name+": own covariance", c[i], v, 1e-9)
				continue
			}
			p := voting{}.prefer(mean[5]-mu, variance[5]+v-2*c[i])
			near(t, name+": chance", p, m.Prefer(-1, 5, i), 1e-9)
		}
	}
}

// Items that come after the fit are placed by their links, nearly as well as
// when they were part of the graph; what was known stays as it is.
func TestExtendLinked(t *testing.T) {
	var order [3]float64 // τ of the new items: in the graph, by matching, by Nyström
	const seeds = 5
	for seed := range uint64(seeds) {
		d, g, truth, unseen := citations(t, 1+seed)
		order[0] += tau(fit(t, d, &Options{Links: g}), truth, unseen) / seeds
		n := d.NumItems() - len(unseen)
		b := palate.NewBuilder()
		for i := range n {
			b.Item(d.ItemID(i))
		}
		for _, v := range d.Votes() {
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		part := built(t, b)
		var known, fresh []kernel.Edge
		for _, e := range g.Edges() {
			switch {
			case e.From < n && e.To < n:
				known = append(known, e)
			case e.From < n || e.To < n:
				fresh = append(fresh, e)
			}
		}
		graph, err := kernel.NewGraph(n, known)
		if err != nil {
			t.Fatal(err)
		}
		m := fit(t, part, &Options{Links: graph})
		var ids []string
		for _, i := range unseen {
			ids = append(ids, d.ItemID(i))
		}
		for k, how := range []kernel.Induction{kernel.Matching, kernel.Nystrom} {
			e, err := m.ExtendLinked(ids, nil, fresh, how)
			if err != nil {
				t.Fatal(err)
			}
			order[k+1] += tau(e, truth, unseen) / seeds
			for _, i := range []int{0, 7, n - 1} {
				a, va := m.Utility(-1, i)
				if c, vc := e.Utility(-1, i); math.Abs(a-c) > 1e-9 || math.Abs(va-vc) > 1e-9 {
					t.Errorf("%v: item %d has N(%v, %v), had N(%v, %v)", how, i, c, vc, a, va)
				}
			}
			if _, v := e.Utility(-1, n); e.NumItems() != d.NumItems() || !(v > 0) || len(e.Groups()) != 1 {
				t.Errorf("%v: %d items, variance %v, %d groups", how, e.NumItems(), v, len(e.Groups()))
			}
			if err := e.Save(t.Context(), new(bytes.Buffer)); err == nil {
				t.Errorf("%v: an extended model was saved, which could not be read", how)
			}
		}
		// An item without links stands alone.
		e, err := m.ExtendLinked([]string{"lone"}, nil, nil, kernel.Matching)
		if err != nil || len(e.Groups()) != 2 || e.Comparable(0, n) {
			t.Errorf("%v: %d groups", err, len(e.Groups()))
		}
		if _, err := m.ExtendLinked(ids, nil, known[:1], kernel.Matching); err == nil {
			t.Error("a link between known items was taken")
		}
	}
	if order[0] < 0.4 || order[1] < order[0]-0.1 || order[2] < order[0]-0.1 {
		t.Errorf("τ of new items: in the graph %.2f, by matching %.2f, by Nyström %.2f", order[0], order[1], order[2])
	}
	d, _, _, _ := citations(t, 1)
	if _, err := fit(t, d, nil).ExtendLinked([]string{"x"}, nil, nil, kernel.Matching); err == nil {
		t.Error("a model without links placed an item by its links")
	}
}

// TestLinkKernels takes the covariance that a fit ended with apart: links have the
// kernel that was asked for, by its definition, and the unit of their weights does
// not matter.
func TestLinkKernels(t *testing.T) {
	edges := []kernel.Edge{{From: 0, To: 1, Weight: 2}, {From: 1, To: 2, Weight: 1}, {From: 2, To: 3, Weight: 0.5}, {From: 0, To: 3, Weight: 1}}
	const n = 6 // two items have no links
	b := palate.NewBuilder()
	for _, v := range [][2]string{{"a", "b"}, {"a", "c"}, {"b", "c"}, {"d", "c"}, {"e", "f"}, {"a", "f"}, {"b", "a"}} {
		if err := b.Say("", v[0], v[1], palate.Left); err != nil {
			t.Fatal(err)
		}
	}
	d := built(t, b)
	fit := func(s kernel.Spread, unit float64) *Single {
		t.Helper()
		scaled := slices.Clone(edges)
		for k := range scaled {
			scaled[k].Weight *= unit
		}
		g, err := kernel.NewGraph(n, scaled)
		if err != nil {
			t.Fatal(err)
		}
		m := fit(t, d, &Options{Links: g, LinkKernel: s})
		return m
	}
	for _, s := range []kernel.Spread{kernel.Laplacian, kernel.Normalised, kernel.Diffusion} {
		m := fit(s, 1)
		spec := kernel.SpecOf(m.Kernel())
		links, own := spec.Terms[0], math.Exp(spec.Terms[1].Params[0])
		if links.Shape != s.String() {
			t.Fatalf("%v: the fit has %s", s, links.Shape)
		}
		beta, iota := math.Exp(links.Params[0]), math.Exp(links.Params[1])
		lap := mat.NewDense(n, n, nil)
		for _, e := range edges {
			for _, p := range [][2]int{{e.From, e.To}, {e.To, e.From}} {
				lap.Set(p[0], p[0], lap.At(p[0], p[0])+e.Weight)
				lap.Set(p[0], p[1], -e.Weight)
			}
		}
		if s != kernel.Laplacian { // I − D^−½ W D^−½
			degree := make([]float64, n)
			for i := range degree {
				degree[i] = max(lap.At(i, i), 1)
			}
			lap.Apply(func(i, j int, v float64) float64 { return v / math.Sqrt(degree[i]*degree[j]) }, lap)
		}
		var want mat.Dense
		if s == kernel.Diffusion {
			lap.Scale(-iota*iota/2, lap)
			want.Exp(lap)
			want.Scale(1/beta, &want)
		} else {
			for i := range n {
				lap.Set(i, i, lap.At(i, i)+1/(iota*iota))
			}
			lap.Scale(beta, lap)
			if err := want.Inverse(lap); err != nil {
				t.Fatal(err)
			}
		}
		got := kernel.Gram(m.Kernel(), kernel.Indexed(n))
		for i := range n {
			want.Set(i, i, want.At(i, i)+own)
			for j := range n {
				near(t, fmt.Sprintf("%v: covariance of %d and %d", s, i, j), got.At(i, j), want.At(i, j), 1e-9)
			}
		}
		for _, unit := range []float64{1e-9, 1e9} {
			near(t, fmt.Sprintf("%v: chance with weights of %g", s, unit), fit(s, unit).Prefer(-1, 0, 1), m.Prefer(-1, 0, 1), 1e-6)
		}
	}
}
