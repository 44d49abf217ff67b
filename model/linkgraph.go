package model

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// spread is how utility spreads between n items. Diffusion takes the covariance of all, so
// that the regularised Laplacian stands in for it where they are too many.
func (o *Options) spread(n int) kernel.Spread {
	if o.LinkKernel == kernel.Diffusion && n > maxLinked {
		return kernel.Laplacian
	}
	return o.LinkKernel
}

// alongLinks reports whether n linked items can be inferred along the graph of their
// comparisons and links: the precision of the regularised Laplacian is as sparse as they
// are. Features are not.
func (o *Options) alongLinks(n int, f *palate.Features) bool {
	_, ep := o.Rule.(infer.EP)
	return (o.Rule == nil || ep) && o.Schedule == nil && o.spread(n) == kernel.Laplacian && (f == nil || f.Cols == 0)
}

// linksAlong are the links of a graph as a prior has them.
func linksAlong(g *kernel.Graph) *gp.Links {
	var pairs gp.Rows
	weight := make([]float64, len(g.Edges()))
	for k, e := range g.Edges() {
		pairs.AppendPair(e.From, e.To)
		weight[k] = e.Weight
	}
	return gp.NewLinks(g.Nodes(), pairs, weight)
}

// priorAlong is the prior of linked items for a kernel.
func (m *Single) priorAlong(k kernel.Kernel) *gp.Prior {
	links, own, _ := kernel.Regularised(k)
	return gp.Linked(gp.Spread{Links: m.links, Precision: links.Precision(), Ridge: 1 / (links.Range() * links.Range()), Own: own})
}

// kernelSlope is the slope of the evidence in a parameter of the kernel of linked items,
// the range of the links or the share that is an item's own, and about how fast it falls.
func (s *search) kernelSlope(g *infer.Graph, at int) (slope, bend float64) {
	if ofLinks(s.m.kernel.ParamNames()[at]) {
		slope, bend = g.RidgeSlope() // ridge = 1/range²
		return -2 * slope, 4 * bend
	}
	return g.ShareSlope()
}

// extendAlong is ExtendLinked where inference goes along the links: new items join the
// graph, and the posterior is that of all with what the votes said.
func (m *Single) extendAlong(ids []string, features *mat.Dense, links []kernel.Edge, how kernel.Induction) (*Single, error) {
	known, n := len(m.ids), len(m.ids)+len(ids)
	switch {
	case features != nil:
		return nil, fmt.Errorf("model: features for new items, but the model has none")
	case how != kernel.Matching:
		return nil, fmt.Errorf("model: %d items with links, placed by %v: that takes a matrix of all items; leave it at %v", n, how, kernel.Matching)
	}
	old, own, _ := kernel.Regularised(m.kernel)
	for k, e := range links {
		if lo, hi := min(e.From, e.To), max(e.From, e.To); lo < 0 || lo >= known || hi < known || hi >= n {
			return nil, fmt.Errorf("model: link %d is from %d to %d, of %d known and %d new items", k, e.From, e.To, known, len(ids))
		}
	}
	g, err := kernel.NewGraph(n, slices.Concat(links, old.Graph().Edges()))
	if err != nil {
		return nil, err
	}
	e := *m
	e.grid = &num.Lazy[*scales]{}
	e.Base = m.grown(ids)
	e.x, e.links = kernel.Indexed(n), linksAlong(g)
	e.kernel = kernel.Sum(kernel.NewLinks(g, kernel.Laplacian, old.Precision(), old.Range()), kernel.Scale(own, kernel.Identity{}))
	groups := m.groups
	for i := known; i < n; i++ {
		groups = append(groups[:len(groups):len(groups)], []int{i})
	}
	e.groups = joined(groups, g.Components())
	r := *m.result
	if r.Posterior, err = e.ownPosterior(e.priorAlong(e.kernel), m.result.Posterior.Scale, m.voting, r.Sites, r.Kind); err != nil {
		return nil, err
	}
	e.result = &r
	return &e, nil
}
