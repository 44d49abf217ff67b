package crowd

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
)

// consensus is q of a consensus t = Φe + n, of which features explain a part and
// n_i ~ N(0, 1/s_n) is item i's own, with its inverse scales: one for each block
// of weights and one for the n. Weights and n are one Gaussian, scales are apart
// from it.
type consensus struct {
	*arrow
	ends         []int         // where the blocks of weights end
	prior, scale []infer.Gamma // by block, and last of the n
	e, n         []float64     // means
	f            []float64     // Φe + n
}

// maxComponent bounds the items of a component of the comparison graph that is
// inverted, in n³ operations; of larger ones the n are apart given the weights.
const maxComponent = 2000

// newConsensus knows of no votes yet. A prior that leaves a residual is seen
// without it: what inducing points do not explain is the items' own.
func newConsensus(v *Votes, prior *gp.Prior, o *Options) (*consensus, error) {
	d := prior.Dim()
	k := &consensus{e: make([]float64, d), n: make([]float64, v.items), f: make([]float64, v.items)}
	for _, size := range o.Blocks {
		k.ends = append(k.ends, size)
		if b := len(k.ends); b > 1 {
			k.ends[b-1] += k.ends[b-2]
		}
	}
	if k.ends == nil {
		k.ends = []int{d}
	}
	if k.ends[len(k.ends)-1] != d {
		return nil, fmt.Errorf("crowd: blocks of %v weights, but there are %d", o.Blocks, d)
	}
	g := newGraph(v.items, &v.rows, o.mostTogether)
	gamma := o.ConsensusScale
	if gamma == (infer.Gamma{}) {
		gamma = infer.Gamma{Shape: 1, Rate: 0.03}
	}
	base := make([]float64, d+1)
	for i := range base {
		base[i] = 1 / startVariance
	}
	for b := range len(k.ends) + 1 {
		shape := gamma.Shape + 0.5*k.size(b)
		k.prior, k.scale = append(k.prior, gamma), append(k.scale, infer.Gamma{Shape: shape, Rate: shape * startVariance})
	}
	var err error
	k.arrow, err = newArrow(g, prior.Features(), base, make([]float64, v.rows.Len()), nil)
	return k, err
}

// size returns how many weights a block has, and for the last how many n there are.
func (k *consensus) size(b int) float64 {
	if b == len(k.ends) {
		return float64(len(k.n))
	}
	lo, hi := k.block(b)
	return float64(hi - lo)
}

// block returns the weights of a block, and d, d+1 for the items' own.
func (k *consensus) block(b int) (lo, hi int) {
	if b > 0 {
		lo = k.ends[b-1]
	}
	if b == len(k.ends) {
		return lo, lo + 1
	}
	return lo, k.ends[b]
}

// spread hands a number for each block on to its weights.
func (k *consensus) spread(of func(infer.Gamma) float64) []float64 {
	var out []float64
	for b, g := range k.scale {
		lo, hi := k.block(b)
		out = append(out, slices.Repeat([]float64{of(g)}, hi-lo)...)
	}
	return out
}

// squares returns those of the means: of every weight, and last their sum over
// the items' own.
func (k *consensus) squares() []float64 {
	var out []float64
	for _, x := range k.e {
		out = append(out, x*x)
	}
	return append(out, num.Dot(k.n, k.n))
}

// divergence from the prior.
func (k *consensus) divergence() float64 {
	sum := k.arrow.divergence(k.squares(), k.spread(infer.Gamma.Mean), k.spread(infer.Gamma.MeanLog))
	for b, g := range k.scale {
		sum += g.KL(k.prior[b])
	}
	return sum
}

// forms returns mean and variance of every row's form.
func (k *consensus) forms(rows *gp.Rows) (mean, variance []float64) {
	mean = make([]float64, rows.Len())
	for r := range mean {
		mean[r] = rows.Dot(r, k.f)
	}
	return mean, k.variances(rows)
}

// moved sets the means.
func (k *consensus) moved(e, n []float64) {
	k.e, k.n = e, n
	k.f = slices.Clone(n)
	simd.Gemv(blas.NoTrans, 1, k.phi.RawMatrix(), simd.Vec(e), 1, simd.Vec(k.f))
}

// on returns the consensus seen at further items, which stand alone.
func (k *consensus) on(prior *gp.Prior) *consensus {
	if prior.Len() == len(k.n) {
		return k
	}
	out := *k
	var err error
	if out.arrow, err = newArrow(newGraph(prior.Len(), k.rows, k.most), prior.Features(), k.base, k.tau, nil); err != nil {
		panic(err) // as it was, with precisions of more items
	}
	out.moved(k.e, append(slices.Clone(k.n), make([]float64, prior.Len()-len(k.n))...))
	return &out
}

// draws returns joint draws of the utilities of all items, a row each.
func (k *consensus) draws(ctx context.Context, n int, rng *rand.Rand) (*mat.Dense, error) {
	out, err := k.arrow.draws(ctx, n, rng)
	if err != nil {
		return nil, err
	}
	for r := range n {
		simd.Axpy(1, simd.Vec(k.f), simd.Vec(out.RawRowView(r)))
	}
	return out, nil
}

// updateConsensus raises the bound in q of the consensus and its scales. Scales
// are tried where MacKay's fixed point has them, which is that of the exact step
// and reached sooner; where that would lower the bound the exact step is taken.
func (e *engine) updateConsensus() {
	old := e.common
	before := e.expected() - old.divergence()
	e.rescaled(old, func(size, square, variance, s float64, p infer.Gamma) float64 {
		return (size - s*variance + 2*p.Shape) / (square + 2*p.Rate)
	})
	e.stepConsensus()
	if notBelow(e.expected()-e.common.divergence(), before) {
		return
	}
	e.rescaled(old, func(size, square, variance, s float64, p infer.Gamma) float64 {
		return (size + 2*p.Shape) / (square + variance + 2*p.Rate) // CROWD (15)
	})
	e.seeColumn(0)
	e.evaluate()
	e.stepConsensus()
}

// rescaled sets the expected inverse scales to what a rule makes of the size of a
// block, the sums of the squares of its means and of its variances, and the scale
// as it was.
func (e *engine) rescaled(k *consensus, rule func(size, square, variance, s float64, p infer.Gamma) float64) {
	next := *k
	next.scale = slices.Clone(k.scale)
	square := k.squares()
	for b, g := range k.scale {
		lo, hi := k.block(b)
		shape := k.prior[b].Shape + 0.5*k.size(b)
		mean := rule(k.size(b), total(square[lo:hi]), total(k.trace[lo:hi]), g.Mean(), k.prior[b])
		next.scale[b] = infer.Gamma{Shape: shape, Rate: shape / mean}
	}
	e.common = &next
}

// stepConsensus takes a natural-gradient step in means and covariance together,
// halved where it would lower the bound.
func (e *engine) stepConsensus() {
	k := e.common
	tau, own := make([]float64, e.Votes.rows.Len()), make([]float64, len(k.n))
	for p, r := range e.row {
		tau[r] += e.count[p] * max(0, -e.d2[p])
		e.Votes.rows.Scatter(int(r), e.count[p]*e.d1[p], own)
	}
	s := k.spread(infer.Gamma.Mean)
	d := len(k.e)
	weights := make([]float64, d)
	simd.Gemv(blas.Trans, 1, k.phi.RawMatrix(), simd.Vec(own), 0, simd.Vec(weights))
	for i, x := range k.e {
		weights[i] -= s[i] * x
	}
	for i, x := range k.n {
		own[i] -= s[d] * x
	}
	mix := func(size float64, a, b []float64) []float64 {
		out := make([]float64, len(a))
		for i, x := range a {
			out[i] = x + size*(b[i]-x)
		}
		return out
	}
	before := e.expected() - k.divergence()
	for size := 1.0; size > 1.0/1024; size /= 2 {
		next := *k
		var err error
		if next.arrow, err = newArrow(k.graph, k.phi, mix(size, k.base, s), mix(size, k.tau, tau), k.arrow); err != nil {
			continue
		}
		de, dn := next.solve(weights, own)
		simd.Scal(size, simd.Vec(de))
		simd.Scal(size, simd.Vec(dn))
		simd.Axpy(1, simd.Vec(k.e), simd.Vec(de))
		simd.Axpy(1, simd.Vec(k.n), simd.Vec(dn))
		next.moved(de, dn)
		e.common = &next
		e.seeColumn(0)
		if notBelow(e.evaluate()-next.divergence(), before) {
			return
		}
	}
	e.common = k
	e.seeColumn(0)
	e.evaluate()
}

// save adds the consensus to arrays.
func (k *consensus) save(a *Arrays) {
	for _, end := range k.ends {
		a.BlockEnd = append(a.BlockEnd, int64(end))
	}
	for _, g := range k.scale {
		a.BlockShape, a.BlockRate = append(a.BlockShape, g.Shape), append(a.BlockRate, g.Rate)
	}
	for r := range k.rows.Len() {
		index, _ := k.rows.Row(r)
		a.Pair = append(a.Pair, int64(index[0]), int64(index[1]))
	}
	a.PairPrecision, a.WeightBase, a.WeightMean, a.Nugget = k.tau, k.base, k.e, k.n
	a.most = k.most
}

// loadConsensus reads what save wrote.
func loadConsensus(prior *gp.Prior, a *Arrays) (*consensus, error) {
	b, d, n := len(a.BlockEnd), prior.Dim(), prior.Len()
	if len(a.BlockShape) != b+1 || len(a.BlockRate) != b+1 || a.BlockEnd[b-1] != int64(d) || len(a.Pair) != 2*len(a.PairPrecision) ||
		len(a.WeightBase) != d+1 || len(a.WeightMean) != d || len(a.Nugget) != n {
		return nil, fmt.Errorf("crowd: %d blocks of %d weights and %d nuggets do not fit their arrays", b, d, n)
	}
	k := &consensus{}
	last := 0
	for c := range b + 1 {
		if c < b {
			k.ends = append(k.ends, int(a.BlockEnd[c]))
			if k.ends[c] <= last && d > 0 || k.ends[c] > d {
				return nil, fmt.Errorf("crowd: blocks of weights end at %v", a.BlockEnd)
			}
			last = k.ends[c]
		}
		if !(a.BlockShape[c] > 0 && a.BlockRate[c] > 0) {
			return nil, fmt.Errorf("crowd: block %d: inverse scale of shape %g and rate %g", c, a.BlockShape[c], a.BlockRate[c])
		}
		k.scale = append(k.scale, infer.Gamma{Shape: a.BlockShape[c], Rate: a.BlockRate[c]})
	}
	k.prior = k.scale
	var rows gp.Rows
	for r, tau := range a.PairPrecision {
		i, j := a.Pair[2*r], a.Pair[2*r+1]
		if i < 0 || j < 0 || i >= int64(n) || j >= int64(n) || i == j || !(tau >= 0) {
			return nil, fmt.Errorf("crowd: items %d and %d of %d compared with precision %g", i, j, n, tau)
		}
		rows.AppendPair(int(i), int(j))
	}
	var err error
	if k.arrow, err = newArrow(newGraph(n, &rows, a.most), prior.Features(), a.WeightBase, a.PairPrecision, nil); err != nil {
		return nil, err
	}
	k.moved(a.WeightMean, a.Nugget)
	return k, nil
}
