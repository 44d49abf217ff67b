package paper

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/kernel"
)

// drawCitations makes up papers that cite each other: a block model of topics. A paper is worth what its topic is worth
// plus its own N(0, .5²); the best fifth is relevant. Four links in five stay within a topic. Features are weak: of five
// columns one knows something of the topic's worth, at a correlation of a third. None of this is drawn from the kernel.
func drawCitations(rng *rand.Rand) (*task, error) {
	const n, topics, links, features = 150, 10, 600, 5
	worth := make([]float64, topics)
	for k := range worth {
		worth[k] = rng.NormFloat64()
	}
	t := &task{settings: trueLinks(), x: mat.NewDense(n, features, nil), truth: make([]float64, n)}
	topic := make([]int, n)
	for i := range n {
		topic[i] = rng.IntN(topics)
		t.truth[i] = worth[topic[i]] + 0.5*rng.NormFloat64()
		for c := range features {
			t.x.Set(i, c, rng.NormFloat64())
		}
		t.x.Set(i, 0, 0.35*worth[topic[i]]+t.x.At(i, 0))
	}
	edges := make([]kernel.Edge, links)
	for k := range edges {
		i, j := pairWithin(topic, rng.Float64() < 0.8, rng, func() int { return rng.IntN(n) })
		edges[k] = kernel.Edge{From: i, To: j, Weight: 1}
	}
	return t.finish(edges, n/5)
}

// drawNewcomers makes up papers of which the last fifth are new: they are not asked about, and only they are judged.
func drawNewcomers(rng *rand.Rand) (*task, error) {
	t, err := drawCitations(rng)
	if err != nil {
		return nil, err
	}
	n := len(t.truth)
	t.fresh = n / 5
	rel := make([]bool, t.fresh)
	for _, i := range bestFirst(t.truth[n-t.fresh:])[:t.fresh/5] {
		rel[i] = true
	}
	t.items, t.relevant = [][]int{nil}, [][]bool{rel}
	for i := n - t.fresh; i < n; i++ {
		t.items[0] = append(t.items[0], i)
	}
	return t, nil
}

// bestFirst returns the places of x, the largest first.
func bestFirst(x []float64) []int {
	order := num.Indices(len(x))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	return order
}

// drawHyperlinks makes up pages of the size of LINK's TREC data, 1,000 with 2,387 links: pages of few sites, most links
// within a site and to pages that have many; 30 pages are relevant, most of them on two sites. Their features say little.
func drawHyperlinks(rng *rand.Rand) (*task, error) {
	const n, sites, links, features, relevant = 1000, 40, 2387, 10, 30.0
	t := &task{settings: siteLinks(), x: mat.NewDense(n, features, nil), truth: make([]float64, n)}
	site := make([]int, n)
	for i := range n {
		site[i] = rng.IntN(sites)
	}
	rel := make([]bool, n)
	for k := range int(relevant) {
		i := rng.IntN(n)
		for rel[i] || (site[i] < 2) != (float64(k) < 0.7*relevant) {
			i = rng.IntN(n)
		}
		rel[i] = true
	}
	for i := range n {
		shift := 0.0
		if rel[i] {
			t.truth[i], shift = 1, 0.7
		}
		t.truth[i] += rng.Float64() - 0.5
		for c := range features {
			t.x.Set(i, c, rng.NormFloat64())
		}
		t.x.Set(i, 0, t.x.At(i, 0)+shift)
		t.x.Set(i, 1, t.x.At(i, 1)+shift)
	}
	edges := make([]kernel.Edge, links)
	for k := range edges {
		i, j := pairWithin(site, rng.Float64() < 0.8, rng, func() int {
			if k > 0 && rng.IntN(2) == 0 { // to where others link
				return edges[rng.IntN(k)].To
			}
			return rng.IntN(n)
		})
		edges[k] = kernel.Edge{From: i, To: j, Weight: 1}
	}
	t, err := t.finish(edges, 0)
	if err == nil {
		t.relevant[0] = rel
	}
	return t, err
}

// pairWithin draws two items of one part, or of two.
func pairWithin(part []int, within bool, rng *rand.Rand, to func() int) (i, j int) {
	for i == j || (part[i] == part[j]) != within {
		i, j = rng.IntN(len(part)), to()
	}
	return i, j
}

// finish makes the graph and calls the best items relevant.
func (t *task) finish(edges []kernel.Edge, best int) (*task, error) {
	n := len(t.truth)
	all := num.Indices(n)
	t.items = [][]int{all}
	rel := make([]bool, n)
	for _, i := range bestFirst(t.truth)[:best] {
		rel[i] = true
	}
	t.relevant = [][]bool{rel}
	t.x = standardise(t.x)
	var err error
	t.graph, err = kernel.NewGraph(n, edges)
	return t, err
}
