package kernel

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// Edge is a weighted link between two nodes, identities of points.
type Edge struct {
	From, To int
	Weight   float64
}

// Graph is an undirected graph with weighted edges, stored sparsely. Directed
// links are symmetrised by addition: the weight between i and j is the sum of
// the weights of all links from i to j and from j to i, so that a link one way
// counts w, links both ways w + w', and a repeated link each time.
type Graph struct {
	nodes int
	edges []Edge // From < To, in order, one a pair
	w     *CSR   // symmetric weights
	deg   []float64
	comp  [][]int // connected components, by their first node

	once    sync.Once
	spectra []spectrum // of the components, made when first asked for
}

// NewGraph builds a graph of nodes 0 to nodes−1. Weights must be positive and
// finite; a link of a node to itself is an error, since it would say nothing of
// any other.
func NewGraph(nodes int, links []Edge) (*Graph, error) {
	if nodes < 0 {
		return nil, fmt.Errorf("kernel: graph of %d nodes", nodes)
	}
	g := &Graph{nodes: nodes, deg: make([]float64, nodes)}
	for k, e := range links {
		switch {
		case e.From < 0 || e.To < 0 || e.From >= nodes || e.To >= nodes:
			return nil, fmt.Errorf("kernel: graph: link %d is from %d to %d of %d nodes", k, e.From, e.To, nodes)
		case e.From == e.To:
			return nil, fmt.Errorf("kernel: graph: link %d is from node %d to itself", k, e.From)
		case !(e.Weight > 0) || math.IsInf(e.Weight, 1):
			return nil, fmt.Errorf("kernel: graph: link %d has weight %v, want a positive number", k, e.Weight)
		}
		g.edges = append(g.edges, Edge{min(e.From, e.To), max(e.From, e.To), e.Weight})
	}
	slices.SortStableFunc(g.edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	at := 0
	for k, e := range g.edges {
		if k > 0 && g.edges[at-1].From == e.From && g.edges[at-1].To == e.To {
			g.edges[at-1].Weight += e.Weight
			continue
		}
		g.edges[at] = e
		at++
	}
	g.edges = slices.Clip(g.edges[:at])
	g.fill()
	g.components()
	return g, nil
}

// fill makes rows and degrees from the edges.
func (g *Graph) fill() {
	count := make([]int, g.nodes+1)
	for _, e := range g.edges {
		count[e.From+1]++
		count[e.To+1]++
		g.deg[e.From] += e.Weight
		g.deg[e.To] += e.Weight
	}
	for i := range g.nodes {
		count[i+1] += count[i]
	}
	c := &CSR{rows: g.nodes, cols: g.nodes, ptr: count, index: make([]int, 2*len(g.edges)), data: make([]float64, 2*len(g.edges))}
	next := slices.Clone(count)
	put := func(i, j int, w float64) {
		c.index[next[i]], c.data[next[i]] = j, w
		next[i]++
	}
	for _, e := range g.edges { // sorted, so that lower neighbours come first and ascend
		put(e.To, e.From, e.Weight)
	}
	for _, e := range g.edges {
		put(e.From, e.To, e.Weight)
	}
	g.w = c
}

func (g *Graph) components() {
	seen := make([]bool, g.nodes)
	for i := range g.nodes {
		if seen[i] {
			continue
		}
		seen[i] = true
		part := []int{i}
		for k := 0; k < len(part); k++ {
			index, _ := g.w.row(part[k])
			for _, j := range index {
				if !seen[j] {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		slices.Sort(part)
		g.comp = append(g.comp, part)
	}
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return g.nodes }

// Edges returns the edges after symmetrising, From < To, not to be modified.
func (g *Graph) Edges() []Edge { return g.edges }

// Components returns the connected components, not to be modified. Nodes without
// links are components of their own.
func (g *Graph) Components() [][]int { return g.comp }

// laplacian returns Δ = D − W, or I − D^−½ W D^−½ when normalised, of some
// nodes that have no links to others. A node without links has a row of zeros.
func (g *Graph) laplacian(part []int, normalised bool) *mat.SymDense {
	place := make(map[int]int, len(part))
	for k, i := range part {
		place[i] = k
	}
	l := mat.NewSymDense(len(part), nil)
	for k, i := range part {
		d := g.deg[i]
		if normalised && d > 0 {
			d = 1
		}
		l.SetSym(k, k, d)
		index, data := g.w.row(i)
		for p, j := range index {
			if w := data[p]; j > i {
				if normalised {
					w /= math.Sqrt(g.deg[i] * g.deg[j])
				}
				l.SetSym(k, place[j], -w)
			}
		}
	}
	return l
}

// spectrum holds eigenvalues and eigenvectors, a column each.
type spectrum struct {
	values  []float64
	vectors *mat.Dense
}

// spectrum returns that of the normalised Laplacian of component c. It does not
// depend on any parameter, so that it is made once.
func (g *Graph) spectrum(c int) spectrum {
	g.once.Do(func() {
		g.spectra = make([]spectrum, len(g.comp))
		for k, part := range g.comp {
			if len(part) == 1 {
				continue
			}
			var eig mat.EigenSym
			if !eig.Factorize(g.laplacian(part, true), true) {
				panic(fmt.Sprintf("kernel: graph: no eigenvalues of a component of %d nodes", len(part)))
			}
			g.spectra[k] = spectrum{eig.Values(nil), new(mat.Dense)}
			eig.VectorsTo(g.spectra[k].vectors)
		}
	})
	return g.spectra[c]
}

// GraphSpec is a graph as data.
type GraphSpec struct {
	Nodes  int       `json:"nodes"`
	From   []int     `json:"from"`
	To     []int     `json:"to"`
	Weight []float64 `json:"weight"`
}

func (g *Graph) spec() *GraphSpec {
	n := len(g.edges)
	s := &GraphSpec{Nodes: g.nodes, From: make([]int, n), To: make([]int, n), Weight: make([]float64, n)}
	for k, e := range g.edges {
		s.From[k], s.To[k], s.Weight[k] = e.From, e.To, e.Weight
	}
	return s
}

// linksFrom is the kernel of a specification.
func linksFrom(s Spec, _ []Kernel) (Kernel, error) {
	spread, err := parseSpread(s.Shape)
	if err != nil {
		return nil, err
	}
	g := s.Graph
	if g == nil || len(g.From) != len(g.To) || len(g.From) != len(g.Weight) {
		return nil, fmt.Errorf("kernel: links without a graph, or with lists of different lengths")
	}
	if err := s.shape(2, 0); err != nil {
		return nil, err
	}
	edges := make([]Edge, len(g.From))
	for k := range edges {
		edges[k] = Edge{g.From[k], g.To[k], g.Weight[k]}
	}
	graph, err := NewGraph(g.Nodes, edges)
	if err != nil {
		return nil, err
	}
	return &Links{graph: graph, spread: spread, logPrecision: s.Params[0], logIota: s.Params[1]}, nil
}
