package crowd

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
)

// Under q consensus and voters are apart: what votes say of the consensus is counted
// as though tastes were known, and where they are wide it seems twice as certain as it
// is. The sites of the votes tell how both hang together. With A the votes' forms of
// voter u's x = (w, g), D its precisions before the votes, B their forms of the items
// and T their precisions, x given the consensus has the precision D + AᵀTA, and with x
// integrated out the votes say of the consensus
//
//	M_u = Bᵀ(T⁻¹ + AD⁻¹Aᵀ)⁻¹B = BᵀTB − BᵀTA(D + AᵀTA)⁻¹AᵀTB
//
// instead of BᵀTB. Means stay as they are: those of q are stationary for all that is
// Gaussian at once. Factors stay apart.

// jointItems is the number of items up to which consensus and voters are seen
// together.
const jointItems = 1000

// told is what the votes of a voter say of the consensus.
type told struct {
	items []int32    // that the voter compared, ascending
	m     *mat.Dense // M_u
	shift *mat.Dense // (D + AᵀTA)⁻¹AᵀTB, by which x falls where the consensus rises; nil without x
}

// told returns what the votes of voter u say, with factors as given, item × factor.
func (e *engine) told(u int, factors *mat.Dense) (t told) {
	k, d := e.sites, e.dim(u)
	if k == nil || k.start[u] == k.start[u+1] {
		return t
	}
	for p := k.start[u]; p < k.start[u+1]; p++ {
		t.items = append(t.items, k.pair[p][0], k.pair[p][1])
	}
	slices.Sort(t.items)
	t.items = slices.Compact(t.items)
	n := len(t.items)
	t.m = mat.NewDense(n, n, nil) // BᵀTB
	for p := k.start[u]; p < k.start[u+1]; p++ {
		i, _ := slices.BinarySearch(t.items, k.pair[p][0])
		j, _ := slices.BinarySearch(t.items, k.pair[p][1])
		for _, at := range [4]struct {
			i, j int
			sign float64
		}{{i, i, 1}, {j, j, 1}, {i, j, -1}, {j, i, -1}} {
			t.m.Set(at.i, at.j, t.m.At(at.i, at.j)+at.sign*k.tau[p])
		}
	}
	if d == 0 {
		return t
	}
	x := mat.NewDense(n, d, nil) // A = BX: factors, and ones for own tastes
	own := e.ownItems(u)
	for i, item := range t.items {
		if e.c > 0 {
			copy(x.RawRowView(i), factors.RawRowView(int(item)))
		}
		if at, ok := slices.BinarySearch(own, item); ok {
			x.Set(i, e.c+at, 1)
		}
	}
	var both, prec mat.Dense // AᵀTB and AᵀTA
	simd.Mul(&both, x.T(), t.m)
	simd.Mul(&prec, &both, x)
	sym := symmetric(&prec)
	for i, s := range e.storedPrior(u) {
		sym.SetSym(i, i, sym.At(i, i)+s)
	}
	chol, err := num.NewExact(sym)
	if err != nil {
		panic(fmt.Errorf("crowd: a voter's precision: %w", err))
	}
	t.shift = &mat.Dense{}
	chol.SolveTo(t.shift, &both)
	var less mat.Dense
	simd.Mul(&less, both.T(), t.shift)
	t.m.Sub(t.m, &less)
	return t
}

// joint returns the posterior of the consensus with tastes integrated out; nil where
// that would take too long, and for models from before votes were kept.
func (l *Learnt) joint(ctx context.Context) (*gp.Posterior, error) {
	n := l.prior.Len()
	if l.sites == nil || n > jointItems {
		return nil, nil
	}
	sum, factors := mat.NewDense(n, n, nil), l.factorTable()
	const chunk = 256 // voters at a time, added up in their order
	for lo := 0; lo < l.Voters(); lo += chunk {
		of := make([]told, min(chunk, l.Voters()-lo))
		if err := num.ParallelUntil(ctx, len(of), voterGrain, func(a, b int) {
			for k := a; k < b; k++ {
				of[k] = l.told(lo+k, factors)
			}
		}); err != nil {
			return nil, err
		}
		for _, t := range of {
			for a, i := range t.items {
				for b, j := range t.items {
					sum.Set(int(i), int(j), sum.At(int(i), int(j))+t.m.At(a, b))
				}
			}
		}
	}
	prior, mean, scale := l.prior, l.q[0].Mean, l.scale[0].Mean()
	if l.common != nil {
		prior, mean = l.common.whole()
		scale = 1
	}
	phi := prior.Features()
	var half, quad mat.Dense
	simd.Mul(&half, sum, phi)
	simd.Mul(&quad, phi.T(), &half)
	return around(prior, mean, scale, gp.Evidence{Quad: symmetric(&quad)}), nil
}

// prepareJoint makes joint known, which is found when first asked for.
func (l *Learnt) prepareJoint() {
	found := &num.Lazy[*gp.Posterior]{}
	l.wide = func(ctx context.Context) (*gp.Posterior, error) { return found.Get(ctx, l.joint) }
}

// follow moves draws of voter u's x to where they are given draws of the consensus, a
// row each, instead of its mean.
func (l *Learnt) follow(u int, x, consensus *mat.Dense, mean []float64) {
	t := l.told(u, l.factorTable())
	if t.shift == nil {
		return
	}
	rise := make([]float64, len(t.items))
	n, _ := x.Dims()
	for r := range n {
		f := consensus.RawRowView(r)
		for k, i := range t.items {
			rise[k] = f[i] - mean[i]
		}
		simd.Gemv(blas.NoTrans, -1, t.shift.RawMatrix(), simd.Vec(rise), 1, simd.Vec(x.RawRowView(r)))
	}
}

// whole returns the prior of the consensus as one covariance of the items, and the
// means on its weights.
func (k *consensus) whole() (*gp.Prior, []float64) {
	n, d := k.phi.Dims()
	s := k.spread(infer.Gamma.Mean)
	var scaled, cov mat.Dense
	scaled.Apply(func(_, c int, x float64) float64 { return x / s[c] }, k.phi)
	simd.Mul(&cov, &scaled, k.phi.T())
	sym := symmetric(&cov)
	for i := range n {
		sym.SetSym(i, i, sym.At(i, i)+1/s[d])
	}
	p, err := gp.Covariance(sym)
	if err != nil {
		panic(err) // every item has a variance of its own
	}
	mean := slices.Clone(k.f)
	lower := p.Features().RawMatrix()
	simd.Trsv(blas.NoTrans, simd.Triangular{Uplo: blas.Lower, Diag: blas.NonUnit, N: n, Stride: lower.Stride, Data: lower.Data}, simd.Vec(mean))
	return p, mean
}

// factorTable returns the means of the factors, item × factor; nil without.
func (l *Learnt) factorTable() *mat.Dense {
	if l.c == 0 {
		return nil
	}
	out := mat.NewDense(l.prior.Len(), l.c, nil)
	for c := range l.c {
		out.SetCol(c, l.Factor(c))
	}
	return out
}

func symmetric(a *mat.Dense) *mat.SymDense {
	n, _ := a.Dims()
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, 0.5*(a.At(i, j)+a.At(j, i)))
		}
	}
	return out
}
