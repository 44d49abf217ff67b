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
// with precision T₀⁻¹ + ΣW_u, T₀ the prior covariance of the mean. That of a family is in
// units of the noise of a new person's vote, tastes included: votes tell it well where they
// say little of how much of their noise is tastes, and members that differ in that agree.
type Consensus struct {
	Mean []float64
	root []float64 // N×N: Cov = root·rootᵀ; nil above maxConsensus items
	sd   []float64 // then deviations alone, as if items were independent
	// parts are those of the members of a family, with their weights; nil where there is
	// one.
	parts  []*Consensus
	weight []float64
}

// maxConsensus is the number of items up to which the covariance is kept: 1.6 GB,
// and some ten seconds. Above, each item has the deviation that it would have if
// the others' means were known, which is too small where an item was compared
// with few others.
const maxConsensus = 10000

// newConsensus weighs the evidence of everybody's votes on the mean, whose
// prior is N(0, spread·((1−o)K + o·I)), o the part that is each item's own, or N(0, spread·I) when it is nil.
// Each person's votes count by how far the person is of a class; where member is nil all are.
func newConsensus(ctx context.Context, e *Engine, prior Prior, it *Items, spread float64, member []float64) (*Consensus, error) {
	n := prior.NumItems()
	c := &Consensus{Mean: make([]float64, n)}
	for i := range n {
		c.Mean[i] = prior.Mean(-1, i)
	}
	if n > maxConsensus {
		d := &diagonal{sum: make([]float64, n)}
		if _, _, err := e.held().Evaluate(ctx, prior, d); err != nil {
			return nil, err
		}
		c.sd = make([]float64, n)
		for i, w := range d.sum {
			c.sd[i] = math.Sqrt(1 / (1/spread + w))
		}
		return c, nil
	}
	info, err := e.info(ctx, prior, n, member)
	if err != nil {
		return nil, err
	}
	c.root = meanRoot(info, n, it, spread)
	return c, nil
}

// meanRoot returns a root of the covariance of a mean of which votes have the information W, a lower
// triangle that it overwrites.
func meanRoot(w []float64, n int, it *Items, spread float64) []float64 {
	// Cov = spread·L(I + spread·LᵀWL)⁻¹Lᵀ = RRᵀ, R = √spread·L·Q⁻ᵀ, QQᵀ the bracket.
	num.Mirror(w, n)
	var l []float64
	if it != nil && it.OfMean().K != nil {
		l = it.OfMean().mixed()
	}
	bl := simd.BLAS{}
	if l != nil {
		bl.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, n, n, 1, l, n, w, n)
		bl.Dtrmm(blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, l, n, w, n)
	}
	for i := range n {
		for j := range i + 1 {
			w[i*n+j] *= spread
		}
		w[i*n+i]++
	}
	if !num.FactorWide(w, n) {
		panic("population: I + LᵀWL is not positive definite")
	}
	root := make([]float64, n*n)
	if l != nil {
		for i := range n {
			copy(root[i*n:i*n+i+1], l[i*n:i*n+i+1])
		}
	} else {
		for i := range n {
			root[i*n+i] = 1
		}
	}
	bl.Dtrsm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, n, math.Sqrt(spread), w, n, root, n)
	return root
}

// Consensus returns the mean of the people of a family, with its uncertainty: of the means
// of classes, of their shares, and of which member is right.
func (f *Family) Consensus(ctx context.Context, it *Items) (*Consensus, error) {
	var parts []*Consensus
	var weight []float64
	for _, m := range f.Members {
		c, err := m.consensus(ctx, it)
		if err != nil {
			return nil, err
		}
		c.times(m.unit())
		parts, weight = append(parts, c), append(weight, m.Weight)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	c := &Consensus{Mean: make([]float64, len(parts[0].Mean)), parts: parts, weight: weight}
	for k, p := range parts {
		num.Axpy(weight[k], p.Mean, c.Mean)
	}
	return c, nil
}

// consensus returns the mean of all classes, Σ π_k μ_k. Shares have the covariance
// (diag π − ππᵀ)/(U − 1): that of the mean of U people as an estimate of that of all people.
// Few people are then no more sure where each of them is a class of one than where they
// differ by tastes of their own; people who are counted after a prior of the shares would be.
func (m *Member) consensus(ctx context.Context, it *Items) (*Consensus, error) {
	if len(m.Classes) == 1 {
		c := m.Classes[0]
		return newConsensus(ctx, c.Engine, c.Prior, it, c.Spread, nil)
	}
	member, err := m.memberships(ctx)
	if err != nil {
		return nil, err
	}
	if m.Name == ofReliability {
		return m.consensusOfLevels(ctx, it, member)
	}
	n := m.Classes[0].Prior.NumItems()
	out := &Consensus{Mean: make([]float64, n), root: make([]float64, n*n)}
	cov := mat.NewSymDense(n, nil)
	each := make([]*Consensus, len(m.Classes))
	for k, c := range m.Classes {
		if each[k], err = newConsensus(ctx, c.Engine, c.Prior, it, c.Spread, member[k]); err != nil {
			return nil, err
		}
		num.Axpy(c.Share, each[k].Mean, out.Mean)
	}
	people := max(1, float64(m.Classes[0].Engine.People.Len()-1))
	for i := range n {
		for j := range i + 1 {
			var s float64
			for k, c := range m.Classes {
				e := each[k]
				s += c.Share*c.Share*e.Cov(i, j) + c.Share/people*(e.Mean[i]-out.Mean[i])*(e.Mean[j]-out.Mean[j])
			}
			cov.SetSym(i, j, s)
		}
	}
	l, err := num.NewCholesky(cov)
	if err != nil {
		panic(err) // a sum of covariances
	}
	raw := l.L().RawTriangular()
	for i := range n {
		copy(out.root[i*n:i*n+i+1], raw.Data[i*raw.Stride:])
	}
	return out, nil
}

// unit is by how much utilities are to be multiplied to be in units of the noise of a new
// person's vote: 1/√(1 + v), v the variance between people of the difference of two items,
// its mean over all pairs of those that the member was learnt on.
func (m *Member) unit() float64 {
	n := m.Classes[0].Prior.NumItems()
	if p, ok := m.Classes[0].Prior.(*LowRank); ok && p.Items.Kernel != nil {
		n = p.Items.base
	}
	mean := make([]float64, n)
	for _, c := range m.Classes {
		for i := range mean {
			mean[i] += c.Share * c.Prior.Mean(-1, i)
		}
	}
	var v float64
	for _, c := range m.Classes {
		var sum, square float64
		for i, x := range mean {
			d := c.Prior.Mean(-1, i) - x
			sum, square = sum+d, square+d*d
		}
		v += c.Share * (c.Prior.Apart(n) + apart(n, square, sum*sum))
	}
	return 1 / math.Sqrt(1+v)
}

// Unit is that of the members by their weights: how many units of the consensus one of a
// person's own is.
func (f *Family) Unit() (unit float64) {
	for _, m := range f.Members {
		unit += m.Weight * m.unit()
	}
	return unit
}

// times multiplies all utilities.
func (c *Consensus) times(by float64) {
	for _, x := range [][]float64{c.Mean, c.root, c.sd} {
		for i := range x {
			x[i] *= by
		}
	}
}

// logEvidences returns of each class the logarithm of its share times the evidence of each
// person's votes under it.
func (m *Member) logEvidences(ctx context.Context) ([][]float64, error) {
	out := make([][]float64, len(m.Classes))
	for k, c := range m.Classes {
		held := c.Engine.held()
		held.logZ = make([]float64, len(c.Engine.logZ))
		if _, _, err := held.Evaluate(ctx, c.Prior); err != nil {
			return nil, err
		}
		for u := range held.logZ {
			held.logZ[u] += math.Log(c.Share)
		}
		out[k] = held.logZ
	}
	return out, nil
}

// memberships returns of each class how far each person is of it.
func (m *Member) memberships(ctx context.Context) ([][]float64, error) {
	out, err := m.logEvidences(ctx)
	if err != nil {
		return nil, err
	}
	each := make([]float64, len(out))
	for u := range out[0] {
		for k := range out {
			each[k] = out[k][u]
		}
		t := num.LogSumExp(each)
		for k := range out {
			out[k][u] = math.Exp(each[k] - t)
		}
	}
	return out, nil
}

// Cov returns the covariance of the means of two items.
func (c *Consensus) Cov(i, j int) float64 {
	switch {
	case c.parts != nil:
		var s float64
		for k, p := range c.parts {
			s += c.weight[k] * (p.Cov(i, j) + (p.Mean[i]-c.Mean[i])*(p.Mean[j]-c.Mean[j]))
		}
		return s
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
	if c.parts != nil {
		f, _, err := drawParts(c.weight, n, rng, func(k, n int) (*mat.Dense, error) { return c.parts[k].Draws(ctx, n, rng) })
		return f, err
	}
	items := len(c.Mean)
	f := num.Normals(n, items, rng)
	if c.root != nil {
		out, root := mat.NewDense(n, items, nil), mat.NewDense(items, items, c.root).T()
		if err := num.InTurn(ctx, n, func(lo, hi int) {
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
