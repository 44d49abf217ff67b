package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate/gp"
	"palate/kernel"
)

// spreads are graphs of links between so many items.
var spreads = map[string]func(rng *rand.Rand, n int) []kernel.Edge{
	"sparse": func(rng *rand.Rand, n int) (links []kernel.Edge) {
		for range 3 * n {
			links = append(links, kernel.Edge{From: rng.IntN(n), To: rng.IntN(n), Weight: 0.5 + rng.Float64()})
		}
		return links
	},
	"ring of neighbours": func(_ *rand.Rand, n int) (links []kernel.Edge) {
		for i := range n {
			for d := 1; d <= 3; d++ {
				links = append(links, kernel.Edge{From: i, To: (i + d) % n, Weight: 1})
			}
		}
		return links
	},
	"few": func(rng *rand.Rand, n int) (links []kernel.Edge) {
		for i := range n / 4 {
			links = append(links, kernel.Edge{From: i, To: n - 1 - i, Weight: 2})
		}
		return links
	},
}

// linksOf returns a graph of links, as kernel and as links of a prior.
func linksOf(t *testing.T, n int, edges []kernel.Edge) (*kernel.Graph, *gp.Links) {
	t.Helper()
	kept := edges[:0]
	for _, e := range edges {
		if e.From != e.To {
			kept = append(kept, e)
		}
	}
	g, err := kernel.NewGraph(n, kept)
	if err != nil {
		t.Fatal(err)
	}
	var pairs gp.Rows
	var weight []float64
	for _, e := range g.Edges() {
		pairs.AppendPair(e.From, e.To)
		weight = append(weight, e.Weight)
	}
	return g, gp.NewLinks(n, pairs, weight)
}

// Along links EP ends where it does with the inverse of the regularised Laplacian as a
// dense covariance: means, deviations, evidence, and slopes in all that is learnt.
func TestLinkedIsDense(t *testing.T) {
	for name, draw := range spreads {
		for _, d := range []design{designs[0], designs[7]} {
			t.Run(name+", "+d.name, func(t *testing.T) {
				g, links := linksOf(t, d.items, draw(rand.New(rand.NewPCG(4, 4)), d.items))
				p := d.problem(2)
				dense := func(scale, ridge, own float64) *Result {
					var err error
					q := *p
					q.Scale = scale
					k := kernel.Sum(kernel.NewLinks(g, kernel.Laplacian, 0.7, 1/math.Sqrt(ridge)), kernel.Scale(own, kernel.Identity{}))
					if q.Prior, err = gp.Dense(k, kernel.Indexed(d.items)); err != nil {
						t.Fatal(err)
					}
					return run(t, &q, Settings{Tolerance: 1e-9})
				}
				at := func(scale, ridge, own float64) *Problem {
					q := *p
					q.Scale, q.Prior = scale, gp.Linked(gp.Spread{Links: links, Precision: 0.7, Ridge: ridge, Own: own})
					return &q
				}
				const scale, ridge, own = 0.6, 0.4, 0.3
				graph, err := NewGraph(at(1, 1, 1), Settings{Tolerance: 1e-9})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := graph.Settle(t.Context(), 1e-3); err != nil {
					t.Fatal(err)
				}
				graph.Set(at(scale, ridge, own))
				got, err := graph.Finish(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if got.Status != Converged {
					t.Errorf("%v after %d sweeps, change %g", got.Status, got.Stats.Sweeps, got.Stats.Change)
				}
				compare(got, dense(scale, ridge, own), d.items, p.Rows).within(t, figures{1e-5, 1e-5, 1e-5, 1e-5})
				q, err := PosteriorOf(at(scale, ridge, own), got.Sites, LogEvidence)
				if err != nil {
					t.Fatal(err)
				}
				again := *got
				again.Posterior = q
				compare(&again, got, d.items, p.Rows).within(t, figures{1e-9, 1e-9, 1e-9, 0})
				if d.name == "random" {
					return
				}
				const h = 1e-3
				slope := func(name string, got float64, at func(by float64) *Result) {
					t.Helper()
					near(t, name, got, (at(math.Exp(h)).Objective-at(math.Exp(-h)).Objective)/(2*h), 1e-3)
				}
				s, _ := graph.Slope()
				slope("slope in the scale", s, func(by float64) *Result { return dense(by*scale, ridge, own) })
				s, _ = graph.RidgeSlope()
				slope("slope in the ridge", s, func(by float64) *Result { return dense(scale, by*ridge, own) })
				s, _ = graph.ShareSlope()
				slope("slope in the own share", s, func(by float64) *Result { return dense(scale, ridge, by*own) })
			})
		}
	}
}
