package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/internal/num"
	"palate/kernel"
)

// maxLinked is the number of items up to which links fit where the covariance is dense,
// 200 MB at this number: learning takes several of them. Without features the regularised
// Laplacian goes along the links instead, see alongLinks.
const maxLinked = 5000

// The range of links at the start of learning: utility spreads over a few steps.
const linkRange = 2

// setLinks chooses the kernel where items are linked: ω₁²K_a + ω₂²K_r + θI, LINK
// (6) with a share of the item's own. All variances and the range of links are
// learnt.
func (m *Single) setLinks(f *palate.Features) error {
	o := &m.options
	n := len(m.ids)
	switch {
	case o.Links.Nodes() != n:
		return fmt.Errorf("model: links between %d nodes, but there are %d items", o.Links.Nodes(), n)
	case n > maxLinked && !o.alongLinks(n, f):
		return fmt.Errorf("model: %d items with links; the most that fits is %d, but for links alone by the regularised Laplacian, with rule and schedule at their defaults", n, maxLinked)
	case o.Kernel != nil:
		return fmt.Errorf("model: both a kernel and links: add kernel.NewLinks to the kernel")
	case o.Smoothness == Smooth:
		return fmt.Errorf("model: smooth utilities, but with links each item keeps a part of its own")
	case o.Inducing > 0:
		return fmt.Errorf("model: links do not go through inducing points")
	}
	m.groups = joined(m.groups, o.Links.Components())
	m.x = kernel.Indexed(n)
	o.DenseLimit = cmp.Or(o.DenseLimit, graphItems)
	if n > o.DenseLimit && o.alongLinks(n, f) {
		m.links, m.own = linksAlong(o.Links), true
	}
	links := evenLinks(o.Links, m.links, o.spread(n), 0.5)
	if f == nil || f.Cols == 0 {
		m.kernel = kernel.Sum(links, kernel.Scale(0.5, kernel.Identity{}))
		return nil
	}
	m.groups = [][]int{num.Indices(n)} // features bridge what is not connected
	m.features = mat.NewDense(f.Rows, f.Cols, f.Data)
	m.x = kernel.Dense(m.features)
	m.setFeatures(f, []kernel.Kernel{links}, rand.New(rand.NewPCG(o.Seed, 1)))
	return nil
}

// ExtendLinked returns the model with further items, known by their links to
// items of the fit and, where the model has features, by these too (nil without).
// Links are between items in the order of the fit, the new ones after them; every
// one joins an old and a new item. The model must have been fitted with links.
func (m *Single) ExtendLinked(ids []string, features *mat.Dense, links []kernel.Edge, how kernel.Induction) (*Single, error) {
	if m.kernel == nil || !kernel.HasLinks(m.kernel) {
		return nil, fmt.Errorf("model: the model was fitted without links, so it cannot place items by theirs")
	}
	n := len(m.ids) + len(ids)
	if m.links != nil {
		return m.extendAlong(ids, features, links, how)
	}
	switch {
	case m.features != nil && features == nil:
		return nil, fmt.Errorf("model: %d new items without features; the model has %d", len(ids), m.x.Dim())
	case m.features == nil && features != nil:
		return nil, fmt.Errorf("model: features for new items, but the model has none")
	case features != nil:
		if err := m.checkFeatures(ids, features); err != nil {
			return nil, err
		}
	}
	k, err := kernel.Extend(m.kernel, len(ids), links, how)
	if err != nil {
		return nil, err
	}
	groups := [][]int{num.Indices(n)}
	if features == nil {
		g, err := kernel.NewGraph(n, links)
		if err != nil {
			return nil, err
		}
		for i := len(m.ids); i < n; i++ {
			groups = append(groups, []int{i})
		}
		groups = joined(append(groups[1:], m.groups...), g.Components())
	}
	return m.extend(ids, features, k, groups), nil
}

// evenLinks is the kernel of a graph whose mean variance is as given, found along links
// where these are given, and else from the covariance.
func evenLinks(g *kernel.Graph, along *gp.Links, s kernel.Spread, variance float64) kernel.Kernel {
	iota := float64(linkRange)
	if s == kernel.Laplacian { // the others have weights in units of their sum at a node
		iota /= math.Sqrt(meanDegree(g))
	}
	if along != nil {
		ridge := 1 / (iota * iota)
		return kernel.NewLinks(g, s, along.Trace(ridge, false)/ridge/float64(g.Nodes())/variance, iota)
	}
	diag := kernel.Diag(kernel.NewLinks(g, s, 1, iota), kernel.Indexed(g.Nodes()))
	var mean float64
	for _, v := range diag {
		mean += v / float64(len(diag))
	}
	return kernel.NewLinks(g, s, mean/variance, iota)
}

// meanDegree is the mean weight of all links of a node that has some; 1 where none
// has.
func meanDegree(g *kernel.Graph) float64 {
	linked := map[int]bool{}
	var sum float64
	for _, e := range g.Edges() {
		linked[e.From], linked[e.To] = true, true
		sum += 2 * e.Weight
	}
	if len(linked) == 0 {
		return 1
	}
	return sum / float64(len(linked))
}

// ofLinks reports whether a parameter is one of links, which are always learnt.
func ofLinks(name string) bool {
	return strings.HasSuffix(name, ".precision") || strings.HasSuffix(name, ".range")
}

// joined merges two partitions of the same items, the largest part first.
func joined(a, b [][]int) [][]int {
	at := map[int]int{}
	var root func(i int) int
	root = func(i int) int {
		if p, ok := at[i]; ok && p != i {
			at[i] = root(p)
			return at[i]
		}
		return i
	}
	for _, parts := range [][][]int{a, b} {
		for _, part := range parts {
			for _, i := range part[1:] {
				if x, y := root(part[0]), root(i); x != y {
					at[max(x, y)] = min(x, y)
				}
			}
		}
	}
	parts := map[int][]int{}
	var order []int
	for _, part := range a {
		for _, i := range part {
			r := root(i)
			if parts[r] == nil {
				order = append(order, r)
			}
			parts[r] = append(parts[r], i)
		}
	}
	out := make([][]int, 0, len(order))
	for _, r := range order {
		slices.Sort(parts[r])
		out = append(out, parts[r])
	}
	slices.SortStableFunc(out, func(a, b []int) int { return len(b) - len(a) })
	return out
}

// checkBare turns the panic of a kernel that needs features into an error.
func checkBare(k kernel.Kernel) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("features.npy is missing, and the kernel needs features: %v", r)
		}
	}()
	kernel.Gram(k, kernel.Indexed(1))
	return nil
}

// UtilitiesTo sets mean and variance to those of all items, the same for any
// user.
func (m *Single) UtilitiesTo(ctx context.Context, mean, variance []float64, _ int) error {
	var rows gp.Rows
	for i := range m.ids {
		rows.AppendUnit(i)
	}
	q := m.result.Posterior
	mu, v := q.Forms(&rows)
	copy(mean, mu)
	copy(variance, v)
	for i, r := range q.Prior.Residuals(&rows) {
		variance[i] += r / q.Scale
	}
	return ctx.Err()
}

// CovarianceTo sets dst_k to the covariance of item and others[k], the same for
// any user.
func (m *Single) CovarianceTo(dst []float64, _, item int, others []int) {
	m.result.Posterior.CovarianceTo(dst, item, others)
}
