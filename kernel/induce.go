package kernel

import (
	"fmt"
	"math"

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

// Induce returns the covariances of a new node with all nodes, and its variance.
// links lead from the new node, whatever their From, to known ones; without any
// it is a node of its own.
func (k *Links) Induce(links []Edge, how Induction) (cross []float64, variance float64, err error) {
	n := k.graph.nodes
	weight := make([]float64, n)
	var degree float64
	for p, e := range links {
		if e.To < 0 || e.To >= n || !(e.Weight > 0) || math.IsInf(e.Weight, 1) {
			return nil, 0, fmt.Errorf("kernel: induce: link %d to node %d of %d with weight %v", p, e.To, n, e.Weight)
		}
		weight[e.To] += e.Weight
		degree += e.Weight
	}
	if degree == 0 {
		return make([]float64, n), k.lone(), nil
	}
	a := mat.NewVecDense(n, nil) // k(x, ·) = Ka
	rest := 0.0                  // of the variance, beyond aᵀKa
	switch how {
	case Matching:
		for j, w := range weight {
			a.SetVec(j, w/degree)
		}
	case Nystrom:
		b := mat.NewVecDense(n, nil)
		for j, w := range weight {
			if w > 0 {
				b.SetVec(j, w/math.Sqrt(degree*(k.graph.deg[j]+w)))
			}
		}
		if err := k.graph.solveBase(a, b); err != nil {
			return nil, 0, err
		}
		rest = math.Max(0, 1-mat.Dot(a, b)) // what the base leaves open
	}
	m := k.matrix()
	c := mat.NewVecDense(n, nil)
	c.MulVec(m, a)
	variance = mat.Dot(a, c)
	switch how {
	case Matching: // that of its neighbours, which is not less
		var v float64
		for j := range weight {
			v += a.AtVec(j) * m.At(j, j)
		}
		variance = math.Max(variance, v)
	case Nystrom:
		variance += rest * mat.Trace(m) / float64(n)
	}
	return c.RawVector().Data, variance, nil
}

// solveBase sets a = B⁻¹b.
func (g *Graph) solveBase(a, b *mat.VecDense) error {
	base := g.base()
	var chol mat.Cholesky
	if !chol.Factorize(base) {
		return fmt.Errorf("kernel: induce: the base similarity of %d nodes is not positive definite", g.nodes)
	}
	return chol.SolveVecTo(a, b)
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
