package paper

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/active"
	"palate/kernel"
	"palate/metric"
	"palate/model"
)

// learner is a model that learns vote by vote.
type learner interface {
	model.Predictor
	Observe(palate.Vote) error
}

// linkSettings are the constants of the link model: variances of features, links and the item itself, the range of links
// and how utility spreads along them.
type linkSettings struct {
	features, links, own, iota2 float64
	spread                      kernel.Spread
}

// neighbourLinks are the settings where links join nearest neighbours, which say little beyond the features; the kernel
// is LINK (3). Anything near does as well.
func neighbourLinks() linkSettings {
	return linkSettings{features: 2, links: 1, own: 4, iota2: 10, spread: kernel.Laplacian}
}

// trueLinks are the settings where links tell something new and features are weak: the best of twelve on twenty graphs that
// are not among those reported, drawn with seed 1001.
func trueLinks() linkSettings {
	return linkSettings{features: 2, links: 4, own: 2, iota2: 20, spread: kernel.Diffusion}
}

// siteLinks are the settings of pages whose sites say something of them, most of which is their own.
func siteLinks() linkSettings {
	return linkSettings{features: 2, links: 1, own: 4, iota2: 4, spread: kernel.Diffusion}
}

// neighbours is how many nearest documents each is linked to.
const neighbours = 10

// featureKernel is SE with a common length-scale, the median distance of all pairs of rows.
func featureKernel(x *mat.Dense) kernel.Kernel {
	n, _ := x.Dims()
	var d []float64
	for i := range n {
		for j := range i {
			var s float64
			for k, v := range x.RawRowView(i) {
				s += (v - x.At(j, k)) * (v - x.At(j, k))
			}
			if s > 0 {
				d = append(d, math.Sqrt(s))
			}
		}
	}
	length := 1.0
	if len(d) > 0 {
		slices.Sort(d)
		length = d[len(d)/2]
	}
	return kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{length})
}

// nearest returns links from every row to the k rows nearest to it, of weight 1.
func nearest(x *mat.Dense, k int) []kernel.Edge {
	n, _ := x.Dims()
	var edges []kernel.Edge
	type near struct {
		j int
		d float64
	}
	for i := range n {
		var all []near
		for j := range n {
			if j == i {
				continue
			}
			var s float64
			for c, v := range x.RawRowView(i) {
				s += (v - x.At(j, c)) * (v - x.At(j, c))
			}
			all = append(all, near{j, s})
		}
		slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(a.d, b.d) })
		for _, o := range all[:min(k, len(all))] {
			edges = append(edges, kernel.Edge{From: i, To: o.j, Weight: 1})
		}
	}
	return edges
}

// linkKernel is ω₁²K_a + ω₂²K_r + θI, LINK (6) with a share of the item's own. Either of x and g may be nil. K_r is
// divided by its mean variance, so that ω₂² is that of a utility.
func linkKernel(s linkSettings, x *mat.Dense, g *kernel.Graph) kernel.Kernel {
	terms := []kernel.Kernel{kernel.Scale(s.own, kernel.Identity{})}
	if x != nil {
		terms = append(terms, kernel.Scale(s.features, featureKernel(x)))
	}
	if g != nil {
		var mean float64
		for _, v := range kernel.Diag(kernel.NewLinks(g, s.spread, 1, math.Sqrt(s.iota2)), kernel.Indexed(g.Nodes())) {
			mean += v / float64(g.Nodes())
		}
		terms = append(terms, kernel.NewLinks(g, s.spread, mean/s.links, math.Sqrt(s.iota2)))
	}
	return kernel.Sum(terms...)
}

// names numbers n items.
func itemNames(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("d", i)
	}
	return ids
}

// session asks pairs one at a time.
type session struct {
	learner  learner
	truth    []float64
	relevant [][]bool // by query
	items    [][]int  // of each query
	group    []int    // query of each item; nil: one
	policy   active.Policy
	noise    float64               // share of answers that are wrong
	fresh    int                   // items at the end that are not to be asked about
	after    func(context.Context) // every vote
	rng      *rand.Rand
	asked    active.Pairs
	repeats  int       // pairs asked more than once
	seconds  []float64 // up to each mark
}

// run asks up to the last of the marks and returns the MAP at each.
func (s *session) run(ctx context.Context, marks []int) ([]float64, error) {
	s.asked = active.Pairs{}
	out := make([]float64, 0, len(marks))
	o := &active.Options{Policy: s.policy, Exclude: s.asked, Group: s.group, Limit: len(s.truth)}
	if s.fresh > 0 {
		o.Familiarity = make([]float64, len(s.truth))
		for i := range len(s.truth) - s.fresh {
			o.Familiarity[i] = 1
		}
	}
	start := time.Now()
	for vote := 1; len(out) < len(marks); vote++ {
		next, err := active.Next(ctx, s.learner, -1, 1, o, s.rng)
		if err != nil {
			return nil, err
		}
		if len(next) > 0 {
			p := next[0]
			if s.asked.Has(p.Left, p.Right) {
				s.repeats++
			}
			s.asked.Add(p.Left, p.Right)
			v := palate.Vote{User: -1, Left: p.Left, Right: p.Right, Weight: 1}
			if (s.truth[p.Left] < s.truth[p.Right]) != (s.rng.Float64() < s.noise) {
				v.Outcome = palate.Right
			}
			if err := s.learner.Observe(v); err != nil {
				return nil, err
			}
			if s.after != nil {
				s.after(ctx)
			}
		}
		if vote == marks[len(out)] {
			s.seconds = append(s.seconds, time.Since(start).Seconds())
			out = append(out, s.precision())
		}
	}
	return out, nil
}

// precision is the mean average precision of the ranking by mean utility.
func (s *session) precision() float64 {
	score := make([][]float64, len(s.items))
	for q, items := range s.items {
		for _, i := range items {
			m, _ := s.learner.Utility(-1, i)
			score[q] = append(score[q], m)
		}
	}
	return metric.MAP(s.relevant, score)
}
