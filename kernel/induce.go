package kernel

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
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

// baseRidge keeps the base similarity, I + D^−½WD^−½, away from singular, which it
// is for graphs without odd cycles, and new nodes from being told by the known
// ones altogether.
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
	simd.Mul(&cross, m, a)
	simd.Mul(&among, a.T(), &cross)
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
// a column each, and own the variance of what the known nodes leave open. A new
// node varies as its neighbours do on average. However it is linked, a part of
// that is its own, or known and new nodes together would be singular.
func (k *Links) place(weight *mat.Dense, degree []float64, how Induction) (a *mat.Dense, own []float64, err error) {
	if a, err = k.directions(weight, degree, how); err != nil {
		return nil, nil, err
	}
	n, m := k.graph.nodes, k.matrix()
	own = make([]float64, len(degree))
	for c, d := range degree {
		if d == 0 {
			own[c] = k.lone()
			continue
		}
		var variance float64
		for j := range n {
			variance += weight.At(j, c) / d * m.At(j, j)
		}
		col := a.ColView(c).(*mat.VecDense)
		told, most := mat.Inner(col, m, col), variance/(1+baseRidge)
		if told > most {
			col.ScaleVec(math.Sqrt(most/told), col)
			told = most
		}
		own[c] = variance - told
	}
	return a, own, nil
}

// directions are the combinations before their size is settled: the weighted mean
// of the neighbours, or B⁻¹b.
func (k *Links) directions(weight *mat.Dense, degree []float64, how Induction) (*mat.Dense, error) {
	n := k.graph.nodes
	a := mat.NewDense(n, len(degree), nil)
	for c, d := range degree {
		for j := range n {
			if w := weight.At(j, c); w > 0 {
				x := w / d
				if how == Nystrom {
					x = w / math.Sqrt(d*(k.graph.deg[j]+w))
				}
				a.Set(j, c, x)
			}
		}
	}
	if how == Nystrom {
		return a, k.graph.solveBase(a, a)
	}
	return a, nil
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
	chol, err := num.NewExact(base)
	if err != nil {
		return fmt.Errorf("kernel: induce: the base similarity of %d nodes: %w", g.nodes, err)
	}
	chol.SolveTo(a, b)
	return nil
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
