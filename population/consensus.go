package population

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// Consensus is the population's mean with its uncertainty: Gaussian around t
// with precision T₀⁻¹ + ΣW_u, T₀ the prior covariance of the mean.
type Consensus struct {
	Mean []float64
	root []float64 // N×N: Cov = root·rootᵀ; nil above maxConsensus items
	sd   []float64 // then deviations alone, as if items were independent
}

// maxConsensus is the number of items up to which the covariance is kept: 1.6 GB,
// and some ten seconds. Above, each item has the deviation that it would have if
// the others' means were known, which is too small where an item was compared
// with few others.
const maxConsensus = 10000

// NewConsensus weighs the evidence of everybody's votes on the mean, whose
// prior is N(0, spread·(K+I)/2), or N(0, spread·I) when it is nil.
func NewConsensus(ctx context.Context, e *Engine, prior Prior, it *Items, spread float64) (*Consensus, error) {
	n := prior.NumItems()
	c := &Consensus{Mean: make([]float64, n)}
	for i := range n {
		c.Mean[i] = prior.Mean(-1, i)
	}
	held := *e
	held.method.tolerance = math.Inf(1) // look, do not move
	if n > maxConsensus {
		d := &diagonal{sum: make([]float64, n)}
		if _, _, err := held.Evaluate(ctx, prior, d); err != nil {
			return nil, err
		}
		c.sd = make([]float64, n)
		for i, w := range d.sum {
			c.sd[i] = math.Sqrt(1 / (1/spread + w))
		}
		return c, nil
	}
	sums := NewSums(n, false)
	if _, _, err := held.Evaluate(ctx, prior, sums); err != nil {
		return nil, err
	}
	// Cov = spread·L(I + spread·LᵀWL)⁻¹Lᵀ = RRᵀ, R = √spread·L·Q⁻ᵀ, QQᵀ the bracket.
	m := sums.Info
	num.Mirror(m, n)
	var l []float64
	if it != nil && it.K != nil {
		l = it.half()
	}
	bl := simd.BLAS{}
	if l != nil {
		bl.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, n, n, 1, l, n, m, n)
		bl.Dtrmm(blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, l, n, m, n)
	}
	for i := range n {
		for j := range i + 1 {
			m[i*n+j] *= spread
		}
		m[i*n+i]++
	}
	if !num.FactorWide(m, n) {
		panic("population: I + LᵀWL is not positive definite")
	}
	c.root = make([]float64, n*n)
	if l != nil {
		for i := range n {
			copy(c.root[i*n:i*n+i+1], l[i*n:i*n+i+1])
		}
	} else {
		for i := range n {
			c.root[i*n+i] = 1
		}
	}
	bl.Dtrsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, n, math.Sqrt(spread), m, n, c.root, n)
	return c, nil
}

// Cov returns the covariance of the means of two items.
func (c *Consensus) Cov(i, j int) float64 {
	switch {
	case c.root != nil:
		n := len(c.Mean)
		return num.Dot(c.root[i*n:(i+1)*n], c.root[j*n:(j+1)*n])
	case i == j:
		return c.sd[i] * c.sd[i]
	}
	return 0
}

// Draws returns joint draws of the means of all items, a row each.
func (c *Consensus) Draws(ctx context.Context, n int, rng *rand.Rand) (*mat.Dense, error) {
	items := len(c.Mean)
	f := normals(n, items, rng)
	if c.root != nil {
		out, root := mat.NewDense(n, items, nil), mat.NewDense(items, items, c.root).T()
		if err := num.InTurn(ctx, n, drawsAtOnce, func(lo, hi int) {
			simd.Mul(out.Slice(lo, hi, 0, items).(*mat.Dense), f.Slice(lo, hi, 0, items), root)
		}); err != nil {
			return nil, err
		}
		f = out
	}
	for k := range n {
		row := f.RawRowView(k)
		for i := range row {
			if c.root == nil {
				row[i] *= c.sd[i]
			}
			row[i] += c.Mean[i]
		}
	}
	return f, nil
}

// drawsAtOnce is how many draws are made between two looks at a context.
const drawsAtOnce = 128

// diagonal collects the diagonal of ΣW.
type diagonal struct{ sum []float64 }

func (d *diagonal) Size(m int) int { return m }

func (d *diagonal) Collect(dst []float64, w *Person, _ int, _ []int32) {
	for i := range dst {
		dst[i] = w.info[i*w.m+i]
	}
}

func (d *diagonal) Add(src []float64, _ int, items []int32) {
	for i, a := range items {
		d.sum[a] += src[i]
	}
}
