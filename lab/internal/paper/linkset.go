package paper

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate/active"
	"palate/kernel"
)

// linkSet is a set with its defaults. draw makes task number k; the same seed makes the same task.
type linkSet struct {
	name             string
	queries, repeats int
	runs             []linkRun
	noise            []float64
	draw             func(k int, rng *rand.Rand) (*task, error)
	count            int // of different queries, or the most that are worth their time; 0: no end of them
}

// linkRun is a model under a policy. Those that cost much are done without noise only.
type linkRun struct {
	model, policy string
	costly        bool
}

func (o *LinkOptions) open(name string) (*linkSet, error) {
	both := func(models ...string) (runs []linkRun) {
		for _, m := range models {
			for _, p := range active.Policies() {
				runs = append(runs, linkRun{m, p.Name, false})
			}
		}
		return runs
	}
	fallback := active.For(active.TopFirst()).Name
	switch name {
	case "ohsumed":
		queries, err := readOHSUMED(o.Folder)
		if err != nil {
			return nil, err
		}
		s := &linkSet{name: name, queries: 24, repeats: 3, noise: []float64{0, 0.1, 0.2}, count: len(queries)}
		s.runs = append(both("linked", "glicko"), linkRun{"diagonal", fallback, false}, linkRun{"features", fallback, false},
			linkRun{"linked-adf", fallback, false}, linkRun{"linked-full", fallback, true})
		total := o.queries(s)
		s.draw = func(k int, rng *rand.Rand) (*task, error) {
			return poolQueries([]*Query{queries[k*len(queries)/total]}, true, rng)
		}
		return s, nil
	case "ohsumed-pooled":
		queries, err := readOHSUMED(o.Folder)
		if err != nil {
			return nil, err
		}
		s := &linkSet{name: name, queries: 3, repeats: 1, noise: []float64{0}, count: min(5, max(1, len(queries)/10))}
		s.runs = []linkRun{{"features", fallback, false}, {"features", "lelpair", false}, {"features", "random", false}}
		s.draw = func(_ int, rng *rand.Rand) (*task, error) {
			var ten []*Query
			for _, q := range rng.Perm(len(queries))[:min(10, len(queries))] {
				ten = append(ten, queries[q])
			}
			return poolQueries(ten, false, rng)
		}
		return s, nil
	case "trec-sim":
		s := &linkSet{name: name, queries: 5, repeats: 1, noise: []float64{0}, count: 5, draw: func(_ int, rng *rand.Rand) (*task, error) { return drawHyperlinks(rng) }}
		s.runs = []linkRun{{"linked", fallback, false}, {"linked", "lelpair", false}, {"linked", "random", false}, {"features", fallback, false}, {"glicko", fallback, false}, {"glicko", "lelpair", false}, {"glicko", "random", false}, {"linked-adf", fallback, false}, {"linked-full", fallback, true}}
		return s, nil
	case "citations-new":
		s := &linkSet{name: name, queries: 20, repeats: 1, noise: []float64{0.1}, draw: func(_ int, rng *rand.Rand) (*task, error) { return drawNewcomers(rng) }}
		for _, m := range []string{"linked", "matching", "nystrom", "features"} {
			s.runs = append(s.runs, linkRun{m, fallback, false})
		}
		return s, nil
	case "citations":
		s := &linkSet{name: name, queries: 20, repeats: 1, noise: []float64{0.1}, draw: func(_ int, rng *rand.Rand) (*task, error) { return drawCitations(rng) }}
		s.runs = []linkRun{{"linked", fallback, false}, {"features", fallback, false}, {"glicko", fallback, false}, {"linked", "random", false}, {"features", "random", false}}
		return s, nil
	}
	return nil, fmt.Errorf("paper: links has no set %q; there are %s", name, strings.Join(LinkSets(), ", "))
}

func (o *LinkOptions) queries(s *linkSet) int {
	n := s.queries
	if o.Queries > 0 {
		n = o.Queries
	}
	if s.count > 0 {
		n = min(n, s.count)
	}
	return n
}

func (o *LinkOptions) repeats(s *linkSet) int {
	if o.Repeats > 0 {
		return o.Repeats
	}
	return s.repeats
}

// poolQueries makes one task of some queries. A document's utility is its relevance plus U[−½, ½], which breaks ties
// within a grade; features are standardised over the task, and its links join every document to its ten nearest.
func poolQueries(queries []*Query, links bool, rng *rand.Rand) (*task, error) {
	t := &task{settings: neighbourLinks()}
	var x mat.Dense
	for q, query := range queries {
		var items []int
		for _, rel := range query.Relevance {
			items = append(items, len(t.truth))
			t.truth = append(t.truth, rel+rng.Float64()-0.5)
			t.group = append(t.group, q)
		}
		t.items = append(t.items, items)
		t.relevant = append(t.relevant, query.relevant())
		if x.IsEmpty() {
			x.CloneFrom(query.Features)
		} else {
			var y mat.Dense
			y.Stack(&x, query.Features)
			x = y
		}
	}
	if len(queries) == 1 {
		t.group = nil
	}
	t.x = standardise(&x)
	if !links {
		return t, nil
	}
	var err error
	t.graph, err = kernel.NewGraph(len(t.truth), nearest(t.x, neighbours))
	return t, err
}
