package kernel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Induction is how a new node, known by its links, gets covariances with the
// nodes of a graph that stays as it is (LINK §2.2). The alternative is to add the
// node to the graph, which is exact and costs a new kernel.
type Induction uint8

const (
	// Matching gives a new node the weighted mean of its neighbours (after Zhu,
	// Lafferty and Ghahramani 2003), O(links·nodes).
	Matching Induction = iota
	// Nystrom carries the kernel over by a base similarity b that is defined for
	// new nodes too, k(x, ·) = b(x)ᵀB⁻¹K (after Schwaighofer, Tresp and Yu 2005):
	// that of the normalised links and of a node with itself. It is exact on known
	// nodes and costs O(nodes³).
	Nystrom
)

// baseRidge keeps the base similarity, I + D^−½WD^−½, away from singular: it is
// so for graphs without odd cycles.
const baseRidge = 0.1

// String returns the word of the command line.
func (i Induction) String() string {
	if i == Nystrom {
		return "nystrom"
	}
	return "matching"
}

// Extend returns the kernel at its parameters with more nodes, numbered from
// those of the graph on, as a table of covariances. A link joins a new node and a
// known one, in either direction. A new node without links is a node of its own.
func (k *Links) Extend(nodes int, links []Edge, how Induction) (*Table, error) {
	n := k.graph.nodes
	weight := mat.NewDense(n, max(nodes, 1), nil)
	degree := make([]float64, nodes)
	for p, e := range links {
		known, fresh := min(e.From, e.To), max(e.From, e.To)
		if known < 0 || known >= n || fresh < n || fresh >= n+nodes || !(e.Weight > 0) || math.IsInf(e.Weight, 1) {
			return nil, fmt.Errorf("kernel: extend: link %d is from %d to %d with weight %v, of %d known and %d new nodes", p, e.From, e.To, e.Weight, n, nodes)
		}
		weight.Set(known, fresh-n, weight.At(known, fresh-n)+e.Weight)
		degree[fresh-n] += e.Weight
	}
	m := k.matrix()
	cov := mat.NewSymDense(n+nodes, nil)
	for i := range n {
		for j := i; j < n; j++ {
			cov.SetSym(i, j, m.At(i, j))
		}
	}
	if nodes == 0 {
		return NewTable(cov), nil
	}
	a, own, err := k.place(weight, degree, how)
	if err != nil {
		return nil, err
	}
	var cross, among mat.Dense
	cross.Mul(m, a)
	among.Mul(a.T(), &cross)
	for c := range nodes {
		for i := range n {
			cov.SetSym(i, n+c, cross.At(i, c))
		}
		for d := c; d < nodes; d++ {
			cov.SetSym(n+c, n+d, among.At(c, d))
		}
		cov.SetSym(n+c, n+c, among.At(c, c)+own[c])
	}
	return NewTable(cov), nil
}

// place writes new nodes as combinations of the known ones, f = aᵀf + own: a is
// a column each, and own the variance of what the known nodes leave open.
func (k *Links) place(weight *mat.Dense, degree []float64, how Induction) (a *mat.Dense, own []float64, err error) {
	n := k.graph.nodes
	m := k.matrix()
	a = mat.NewDense(n, len(degree), nil)
	own = make([]float64, len(degree))
	if how == Matching {
		for c, d := range degree {
			if d == 0 {
				own[c] = k.lone()
				continue
			}
			var mean float64 // variance of the neighbours, which that of their mean is not above
			for j := range n {
				w := weight.At(j, c) / d
				a.Set(j, c, w)
				mean += w * m.At(j, j)
			}
			col := a.ColView(c)
			own[c] = math.Max(0, mean-mat.Inner(col, m, col))
		}
		return a, own, nil
	}
	b := mat.NewDense(n, len(degree), nil)
	for c, d := range degree {
		for j := range n {
			if w := weight.At(j, c); w > 0 {
				b.Set(j, c, w/math.Sqrt(d*(k.graph.deg[j]+w)))
			}
		}
	}
	if err := k.graph.solveBase(a, b); err != nil {
		return nil, nil, err
	}
	for c, d := range degree {
		if own[c] = k.lone(); d > 0 { // what the base leaves open
			own[c] = math.Max(0, 1-mat.Dot(a.ColView(c), b.ColView(c))) * mat.Trace(m) / float64(n)
		}
	}
	return a, own, nil
}

// Extend returns k with more nodes in every graph kernel inside it: see
// Links.Extend.
func Extend(k Kernel, nodes int, links []Edge, how Induction) (Kernel, error) {
	switch k := k.(type) {
	case *Links:
		return k.Extend(nodes, links, how)
	case *scaledKernel:
		inner, err := Extend(k.kernel, nodes, links, how)
		if err != nil {
			return nil, err
		}
		return &scaledKernel{k.logVariance, inner}, nil
	case *sumKernel:
		t, err := k.extend(nodes, links, how)
		return &sumKernel{t}, err
	case *productKernel:
		t, err := k.extend(nodes, links, how)
		return &productKernel{t}, err
	}
	return k, nil
}

func (t terms) extend(nodes int, links []Edge, how Induction) (terms, error) {
	out := make(terms, len(t))
	for i, k := range t {
		var err error
		if out[i], err = Extend(k, nodes, links, how); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// HasLinks reports whether there is a graph kernel inside k.
func HasLinks(k Kernel) bool {
	switch k := k.(type) {
	case *Links:
		return true
	case *scaledKernel:
		return HasLinks(k.kernel)
	case *sumKernel:
		return slices.ContainsFunc(k.terms, HasLinks)
	case *productKernel:
		return slices.ContainsFunc(k.terms, HasLinks)
	}
	return false
}

// solveBase sets a = B⁻¹b, a column each.
func (g *Graph) solveBase(a, b *mat.Dense) error {
	base := g.base()
	var chol mat.Cholesky
	if !chol.Factorize(base) {
		return fmt.Errorf("kernel: induce: the base similarity of %d nodes is not positive definite", g.nodes)
	}
	return chol.SolveTo(a, b)
}

// base is I + D^−½WD^−½ with a ridge.
func (g *Graph) base() *mat.SymDense {
	base := mat.NewSymDense(g.nodes, nil)
	for i := range g.nodes {
		base.SetSym(i, i, 1+baseRidge)
	}
	for _, e := range g.edges {
		base.SetSym(e.From, e.To, e.Weight/math.Sqrt(g.deg[e.From]*g.deg[e.To]))
	}
	return base
}
