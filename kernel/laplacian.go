package kernel

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// Spread is how a graph kernel lets utility spread along links.
type Spread uint8

const (
	// Diffusion is exp(−ι²Δ̃/2)/β of the normalised Laplacian Δ̃ = I − D^−½ W D^−½:
	// heat that spreads along the links for a time ι²/2 (Kondor and Lafferty 2002).
	Diffusion Spread = iota
	// Laplacian is the regularised Laplacian [β(Δ + I/ι²)]⁻¹, LINK (3).
	Laplacian
	// Normalised is the same of Δ̃, so that nodes with many links are not pinned
	// down by their number.
	Normalised
)

var spreads = [...]string{Laplacian: "laplacian", Normalised: "normalised", Diffusion: "diffusion"}

// String returns the name used in files.
func (s Spread) String() string {
	if int(s) >= len(spreads) {
		return fmt.Sprintf("Spread(%d)", uint8(s))
	}
	return spreads[s]
}

// parseSpread is the inverse of String.
func parseSpread(name string) (Spread, error) {
	for s, word := range spreads {
		if word == name {
			return Spread(s), nil
		}
	}
	return 0, fmt.Errorf("kernel: unknown graph kernel %q", name)
}

// Links is a kernel over identities: the nodes of a graph. It needs no
// features. An identity that is no node of the graph stands for a node without
// links. Parameters are precision, β, and range, ι.
//
// The covariance of a component of the graph is made once, when first needed,
// in O(nodes³); between components it is zero.
type Links struct {
	graph                 *Graph
	spread                Spread
	logPrecision, logIota float64
	once                  sync.Once
	k                     *mat.Dense // of all nodes
	slope                 *mat.Dense // ∂K/∂log ι, made with k for Diffusion only
}

// NewLinks returns the kernel of a graph with precision β and range ι.
func NewLinks(g *Graph, s Spread, precision, iota float64) *Links {
	if int(s) >= len(spreads) || !(precision > 0) || math.IsInf(precision, 1) || !(iota > 0) || math.IsInf(iota, 1) {
		panic(fmt.Sprintf("kernel: %v with precision %v and range %v, want positive numbers", s, precision, iota))
	}
	return &Links{graph: g, spread: s, logPrecision: math.Log(precision), logIota: math.Log(iota)}
}

// Graph returns the graph.
func (k *Links) Graph() *Graph { return k.graph }

func (k *Links) ParamNames() []string { return []string{"precision", "range"} }
func (k *Links) Params() []float64    { return []float64{k.logPrecision, k.logIota} }

func (k *Links) With(params []float64) Kernel {
	checkParams(params, 2)
	return &Links{graph: k.graph, spread: k.spread, logPrecision: params[0], logIota: params[1]}
}

// lone is the variance of a node without links.
func (k *Links) lone() float64 {
	v := math.Exp(-k.logPrecision)
	if k.spread != Diffusion {
		v *= math.Exp(2 * k.logIota)
	}
	return v
}

// loneSlope is its derivative in log ι.
func (k *Links) loneSlope() float64 {
	if k.spread == Diffusion {
		return 0
	}
	return 2 * k.lone()
}

// matrix returns the covariance of all nodes.
func (k *Links) matrix() *mat.Dense {
	k.once.Do(func() {
		n := k.graph.nodes
		if n == 0 {
			return
		}
		k.k = mat.NewDense(n, n, nil)
		if k.spread == Diffusion {
			k.slope = mat.NewDense(n, n, nil)
		}
		for c, part := range k.graph.comp {
			switch {
			case len(part) == 1:
				k.k.Set(part[0], part[0], k.lone())
			case k.spread == Diffusion:
				k.diffuse(k.graph.spectrum(c), part)
			default:
				k.invert(k.graph.laplacian(part, k.spread == Normalised), part)
			}
		}
	})
	return k.k
}

// invert sets K = [β(Δ + I/ι²)]⁻¹ of a component.
func (k *Links) invert(a *mat.SymDense, part []int) {
	beta, ridge := math.Exp(k.logPrecision), math.Exp(-2*k.logIota)
	raw := a.RawSymmetric()
	for i := range raw.N {
		raw.Data[i*raw.Stride+i] += ridge
	}
	chol, err := num.NewExact(a)
	if err != nil {
		// A Laplacian has no negative eigenvalue: the ridge is below rounding.
		panic(fmt.Sprintf("kernel: links: range %.3g is too long for a component of %d nodes", math.Exp(k.logIota), len(part)))
	}
	inv := chol.Inverse()
	for i := range raw.N {
		for j := i; j < raw.N; j++ {
			v := inv.At(i, j) / beta
			k.k.Set(part[i], part[j], v)
			k.k.Set(part[j], part[i], v)
		}
	}
}

// diffuse sets K = exp(−ι²Δ̃/2)/β of a component and its derivative in log ι,
// −ι²Δ̃K.
func (k *Links) diffuse(e spectrum, part []int) {
	u := e.vectors
	n := len(part)
	beta, t := math.Exp(k.logPrecision), 0.5*math.Exp(2*k.logIota)
	heat, slope := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for c, lambda := range e.values {
		lambda = max(lambda, 0) // below zero is rounding
		h := math.Exp(-t*lambda) / beta
		for r := range n {
			heat.Set(r, c, u.At(r, c)*h)
			slope.Set(r, c, u.At(r, c)*h*(-2*t*lambda))
		}
	}
	var hk, sk mat.Dense
	simd.Mul(&hk, heat, u.T())
	simd.Mul(&sk, slope, u.T())
	for i := range n {
		for j := i; j < n; j++ { // one triangle, so that K is symmetric to the bit
			for _, c := range []struct{ to, from *mat.Dense }{{k.k, &hk}, {k.slope, &sk}} {
				c.to.Set(part[i], part[j], c.from.At(i, j))
				c.to.Set(part[j], part[i], c.from.At(i, j))
			}
		}
	}
}

func (k *Links) known(id int) bool { return id >= 0 && id < k.graph.nodes }

// at returns the covariance of two identities.
func (k *Links) at(a, b int) float64 {
	if k.known(a) && k.known(b) {
		return k.matrix().At(a, b)
	}
	if a == b {
		return k.lone()
	}
	return 0
}

func (k *Links) MatrixTo(dst *mat.Dense, x, y Points) {
	matrixOfIDs(dst, x, y, k.at)
}

func (k *Links) PairsTo(dst []float64, x Points, i, j []int) {
	pairsOfIDs(dst, x, i, j, k.at)
}

// MatrixGrad gathers the weights by node first: Σ w ∂K then runs over nodes.
func (k *Links) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	checkGrad(grad, 2, w, x, y)
	raw := weights(w)
	s := k.newSlopes()
	for i := range x.n {
		id := x.ID(i)
		row := raw.Data[i*raw.Stride : i*raw.Stride+y.n]
		for j, c := range row {
			s.add(id, y.ID(j), c)
		}
	}
	s.to(grad)
}

func (k *Links) PairsGrad(grad, w []float64, x Points, i, j []int) {
	checkPairs(w, i, j)
	checkParams(grad, 2)
	s := k.newSlopes()
	for p, c := range w {
		s.add(x.ID(i[p]), x.ID(j[p]), c)
	}
	s.to(grad)
}

// slopes sums weights by pair of nodes.
type slopes struct {
	k    *Links
	sum  *mat.Dense // by node; nil before the first
	lone float64    // of identities that are no nodes
}

func (k *Links) newSlopes() *slopes { return &slopes{k: k} }

func (s *slopes) add(a, b int, w float64) {
	switch {
	case s.k.known(a) && s.k.known(b):
		if s.sum == nil {
			s.sum = mat.NewDense(s.k.graph.nodes, s.k.graph.nodes, nil)
		}
		raw := s.sum.RawMatrix()
		raw.Data[a*raw.Stride+b] += w
	case a == b:
		s.lone += w
	}
}

// to adds the gradient: ∂K/∂log β = −K, and for the Laplacians
// ∂K/∂log ι = 2β/ι²·K², of which only Σ w·K² = Σ (K∘(wK)) is needed.
func (s *slopes) to(grad []float64) {
	k := s.k
	grad[0] -= s.lone * k.lone()
	grad[1] += s.lone * k.loneSlope()
	if s.sum == nil {
		return
	}
	m := k.matrix()
	grad[0] -= dotMatrix(s.sum, m)
	if k.spread == Diffusion {
		grad[1] += dotMatrix(s.sum, k.slope)
		return
	}
	n := k.graph.nodes
	wk := mat.NewDense(n, n, nil)
	simd.Gemm(blas.NoTrans, blas.NoTrans, 1, s.sum.RawMatrix(), m.RawMatrix(), 0, wk.RawMatrix())
	grad[1] += 2 * math.Exp(k.logPrecision-2*k.logIota) * dotMatrix(wk, m)
}

// Regularised takes the sum of a regularised Laplacian and an identity apart, in this
// order: the links, and the variance of what a node has of its own. It is not ok for any
// other kernel.
func Regularised(k Kernel) (links *Links, own float64, ok bool) {
	sum, isSum := k.(*sumKernel)
	if !isSum || len(sum.terms) != 2 {
		return nil, 0, false
	}
	links, linked := sum.terms[0].(*Links)
	scaled, isScaled := sum.terms[1].(*scaledKernel)
	if !linked || !isScaled || links.spread != Laplacian {
		return nil, 0, false
	}
	_, ok = scaled.kernel.(Identity)
	return links, math.Exp(scaled.logVariance), ok
}

// Precision returns β, and Range ι.
func (k *Links) Precision() float64 { return math.Exp(k.logPrecision) }
func (k *Links) Range() float64     { return math.Exp(k.logIota) }
