package gp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
)

// Posterior is the Gaussian over utilities after evidence: e ~ N(Mean, C) with
// C = (Scale·I + H)⁻¹, and f = Φe + r.
type Posterior struct {
	Prior *Prior
	Scale float64   // the inverse scale s, or its expectation
	Mean  []float64 // of the weights e

	upper  *mat.TriDense // R, with RᵀR = sI + H, so C = R⁻¹R⁻ᵀ
	logDet float64       // log |sI + H|
	ev     Evidence
	own    *own // with parts of the items' own; then ev is empty

	once sync.Once
	f    []float64  // ΦMean, with own parts where there are some
	root *mat.Dense // ΦR⁻¹, so that ΦCΦᵀ = root·rootᵀ; with own parts ΨR⁻¹
}

// NewPosterior combines the prior at inverse scale s with evidence.
func NewPosterior(p *Prior, s float64, ev Evidence) (*Posterior, error) {
	q := &Posterior{Prior: p, Scale: s, Mean: slices.Clone(ev.Lin), upper: mat.NewTriDense(p.d, mat.Upper, nil), ev: ev}
	h, r := ev.Quad.RawSymmetric(), q.upper.RawTriangular()
	for i := range p.d {
		copy(r.Data[i*r.Stride+i:i*r.Stride+p.d], h.Data[i*h.Stride+i:i*h.Stride+p.d])
		r.Data[i*r.Stride+i] += s
	}
	// The factor takes the place of sI + H.
	factor, ok := num.FactorUpper(simd.Symmetric{Uplo: blas.Upper, N: r.N, Data: r.Data, Stride: r.Stride})
	if !ok {
		return nil, fmt.Errorf("gp: posterior precision of %d weights at scale %g is not positive definite", p.d, s)
	}
	for i := range p.d {
		q.logDet += 2 * math.Log(r.Data[i*r.Stride+i])
	}
	if p.d > 0 {
		simd.Potrs(factor, simd.General{Rows: p.d, Cols: 1, Data: q.Mean, Stride: 1})
	}
	return q, nil
}

// LogDet returns log |sI + H|, the log determinant of the weights' precision. With
// own parts it is that of both together, in units in which theirs is s before votes.
func (q *Posterior) LogDet() float64 { return q.logDet }

// On returns the same posterior of the weights, seen at other items of the
// same weights (see Prior.AtRows and Prior.Extend).
func (q *Posterior) On(p *Prior) *Posterior {
	if q.own != nil {
		return q.own.on(q, p)
	}
	return &Posterior{Prior: p, Scale: q.Scale, Mean: q.Mean, upper: q.upper, logDet: q.logDet, ev: q.ev}
}

// WithMean returns the posterior of the same covariance about another mean, at
// the cost of a product with it.
func (q *Posterior) WithMean(mean []float64) *Posterior {
	m := append([]float64(nil), mean...)
	ev := Evidence{Lin: append([]float64(nil), mean...), Quad: q.ev.Quad}
	simd.Symv(1, ev.Quad.RawSymmetric(), simd.Vec(m), q.Scale, simd.Vec(ev.Lin))
	return &Posterior{Prior: q.Prior, Scale: q.Scale, Mean: m, upper: q.upper, logDet: q.logDet, ev: ev}
}

// Utilities returns the posterior mean of every item, not to be modified.
func (q *Posterior) Utilities() []float64 {
	q.expand()
	return q.f
}

func (q *Posterior) expand() {
	q.once.Do(func() {
		p := q.Prior
		if q.own != nil {
			if p.d == 0 {
				return
			}
			q.root = mat.DenseCopyOf(q.own.psi)
			simd.Trsm(blas.Right, blas.NoTrans, 1, q.upper.RawTriangular(), q.root.RawMatrix())
			return
		}
		q.root = mat.DenseCopyOf(p.Features())
		q.f = make([]float64, p.n)
		simd.Gemv(blas.NoTrans, 1, p.Features().RawMatrix(), simd.Vec(q.Mean), 0, simd.Vec(q.f))
		simd.Trsm(blas.Right, blas.NoTrans, 1, q.upper.RawTriangular(), q.root.RawMatrix())
	})
}

// Forms returns mean and variance of every row's form, as far as the weights
// explain it: on inducing points the residual of the row, over Scale, comes on
// top of the variance.
func (q *Posterior) Forms(rows *Rows) (mean, variance []float64) {
	n, d := rows.Len(), q.Prior.d
	mean, variance = make([]float64, n), make([]float64, n)
	if n < q.Prior.n && !q.Prior.white() && q.own == nil {
		// Fewer rows than items: expand the rows only.
		return q.formsOf(formMatrix(q.Prior.Features(), rows))
	}
	q.expand()
	num.Parallel(n, rowGrain, func(lo, hi int) {
		v := make([]float64, d)
		for r := lo; r < hi; r++ {
			mean[r] = rows.Dot(r, q.f)
			if d > 0 {
				form(v, q.root, rows, r)
				variance[r] = simd.Dot(simd.Vec(v), simd.Vec(v))
			}
			if q.own != nil {
				variance[r] += q.own.variance(rows, r)
			}
		}
	})
	return mean, variance
}

// FormsOf is Forms of rows whose features are those of psi, as Prior.FormFeatures has them.
func (q *Posterior) FormsOf(psi *mat.Dense) (mean, variance []float64) {
	return q.formsOf(mat.DenseCopyOf(psi))
}

// formsOf overwrites psi.
func (q *Posterior) formsOf(psi *mat.Dense) (mean, variance []float64) {
	n, _ := psi.Dims()
	mean, variance = make([]float64, n), make([]float64, n)
	simd.Gemv(blas.NoTrans, 1, psi.RawMatrix(), simd.Vec(q.Mean), 0, simd.Vec(mean))
	simd.Trsm(blas.Right, blas.NoTrans, 1, q.upper.RawTriangular(), psi.RawMatrix())
	for r := range n {
		v := simd.Vec(psi.RawRowView(r))
		variance[r] = simd.Dot(v, v)
	}
	return mean, variance
}

// Energy is what the prior holds against the mean, in units of s/2: |e|², and
// Σ r_i²/λ_i of own parts.
func (q *Posterior) Energy() float64 {
	var sum float64
	for _, m := range q.Mean {
		sum += m * m
	}
	if q.own != nil {
		sum += q.own.quad
	}
	return sum
}

// Surprise returns −(Linᵀe − eᵀQuad e/2) for weights e: minus the log density
// that all sites together give them.
func (q *Posterior) Surprise(e []float64) float64 {
	he := make([]float64, len(e))
	simd.Symv(1, q.ev.Quad.RawSymmetric(), simd.Vec(e), 0, simd.Vec(he))
	return 0.5*simd.Dot(simd.Vec(e), simd.Vec(he)) - simd.Dot(simd.Vec(q.ev.Lin), simd.Vec(e))
}

// Trace returns the trace of C.
func (q *Posterior) Trace() float64 {
	inv := mat.NewTriDense(q.Prior.d, mat.Upper, nil)
	inv.Copy(q.upper)
	r := inv.RawTriangular()
	if r.N > 0 && !simd.Trtri(r) {
		panic("gp: a factor with a zero on its diagonal")
	}
	var t float64
	for i := range r.N {
		row := simd.Vec(r.Data[i*r.Stride+i : i*r.Stride+r.N])
		t += simd.Dot(row, row)
	}
	return t
}

// WeightCov writes C·x for every row x of m: m ← m·C.
func (q *Posterior) WeightCov(m *mat.Dense) {
	t := q.upper.RawTriangular()
	simd.Trsm(blas.Right, blas.NoTrans, 1, t, m.RawMatrix())
	simd.Trsm(blas.Right, blas.Trans, 1, t, m.RawMatrix())
}

// Covariance returns the joint covariance of all items, n×n.
func (q *Posterior) Covariance() *mat.SymDense {
	q.expand()
	p := q.Prior
	if p.d == 0 {
		return q.own.dense().SliceSym(0, p.n).(*mat.SymDense)
	}
	cov := mat.NewSymDense(p.n, nil)
	simd.Syrk(blas.NoTrans, 1, q.root.RawMatrix(), 0, cov.RawSymmetric())
	if q.own != nil {
		cov.AddSym(cov, q.own.dense())
	}
	if p.sparse {
		k := kernel.Gram(p.kernel, p.x)
		simd.Syrk(blas.NoTrans, -1, p.Features().RawMatrix(), 1, k.RawSymmetric())
		cov.AddSym(cov, scaled(k, 1/q.Scale))
	}
	return cov
}

// Predict returns mean and joint covariance of the utilities at new points
// (CROWD (19)–(20), corrected).
func (q *Posterior) Predict(x kernel.Points) (mean []float64, cov *mat.SymDense) {
	return q.PredictAt(q.Prior.Project(x), kernel.Gram(q.Prior.kernel, x))
}

// PredictAt is Predict for points whose features φ and prior covariance are
// already known.
func (q *Posterior) PredictAt(phi *mat.Dense, prior *mat.SymDense) (mean []float64, cov *mat.SymDense) {
	n, _ := phi.Dims()
	mean = make([]float64, n)
	simd.Gemv(blas.NoTrans, 1, phi.RawMatrix(), simd.Vec(q.Mean), 0, simd.Vec(mean))
	cov = scaled(prior, 1/q.Scale)
	simd.Syrk(blas.NoTrans, -1/q.Scale, phi.RawMatrix(), 1, cov.RawSymmetric())
	root := mat.DenseCopyOf(phi)
	simd.Trsm(blas.Right, blas.NoTrans, 1, q.upper.RawTriangular(), root.RawMatrix())
	simd.Syrk(blas.NoTrans, 1, root.RawMatrix(), 1, cov.RawSymmetric())
	return mean, cov
}

func scaled(a *mat.SymDense, c float64) *mat.SymDense {
	out := mat.NewSymDense(a.SymmetricDim(), nil)
	out.ScaleSym(c, a)
	return out
}

// Draws turns rows of independent standard normals, one a weight, into joint
// draws of all utilities f and of the weights e behind them, a row each; rows
// that are wider or narrower than standard give draws that are so too. On
// inducing points the residual is drawn from rng: jointly up to
// maxJointResidual items and independently per item above, where its
// correlations are those of points far closer to each other than to any
// inducing point. Parts of the items' own are drawn from rng jointly.
func (q *Posterior) Draws(ctx context.Context, white *mat.Dense, rng *rand.Rand) (f, e *mat.Dense, err error) {
	q.expand()
	p := q.Prior
	k, _ := white.Dims()
	f = mat.NewDense(k, p.n, nil)
	if err := num.InTurn(ctx, k, func(lo, hi int) {
		simd.Gemm(blas.NoTrans, blas.Trans, 1, rows(white, lo, hi), q.root.RawMatrix(), 0, rows(f, lo, hi))
	}); err != nil {
		return nil, nil, err
	}
	if p.sparse {
		p.AddResiduals(f, q.Scale, rng)
	}
	if q.own != nil {
		if err := q.own.AddNoise(ctx, f, rng); err != nil {
			return nil, nil, err
		}
	}
	for r := range k {
		simd.Axpy(1, simd.Vec(q.f), simd.Vec(f.RawRowView(r)))
	}
	e, err = q.WeightDraws(ctx, white)
	return f, e, err
}

// Sample returns k joint draws of all utilities, a row each.
func (q *Posterior) Sample(ctx context.Context, k int, rng *rand.Rand) (*mat.Dense, error) {
	if d := q.Prior.d; d > 0 {
		f, _, err := q.Draws(ctx, num.Normals(k, d, rng), rng)
		return f, err
	}
	f := mat.NewDense(k, q.Prior.n, nil)
	if root := q.own.root; root.N > 0 {
		if err := num.InTurn(ctx, k, func(lo, hi int) {
			white := num.Normals(hi-lo, root.N, rng)
			simd.Trmm(blas.Right, blas.Trans, 1, root, white.RawMatrix()) // white R⁻ᵀ
			f.Slice(lo, hi, 0, q.Prior.n).(*mat.Dense).Copy(white)
		}); err != nil {
			return nil, err
		}
	} else if err := q.own.draws().AddNoise(ctx, f, rng); err != nil {
		return nil, err
	}
	for r := range k {
		simd.Axpy(1, simd.Vec(q.f), simd.Vec(f.RawRowView(r)))
	}
	return f, nil
}

// rows returns some rows of a matrix.
func rows(m *mat.Dense, lo, hi int) simd.General {
	_, c := m.Dims()
	return m.Slice(lo, hi, 0, c).(*mat.Dense).RawMatrix()
}

// WeightDraws is Draws of the weights alone.
func (q *Posterior) WeightDraws(ctx context.Context, white *mat.Dense) (*mat.Dense, error) {
	e := mat.DenseCopyOf(white)
	k, _ := e.Dims()
	err := num.InTurn(ctx, k, func(lo, hi int) {
		simd.Trsm(blas.Right, blas.Trans, 1, q.upper.RawTriangular(), rows(e, lo, hi)) // e ← e R⁻ᵀ
		for r := lo; r < hi; r++ {
			simd.Axpy(1, simd.Vec(q.Mean), simd.Vec(e.RawRowView(r)))
		}
	})
	return e, err
}

// maxJointResidual bounds the n³ work of drawing residuals jointly.
const maxJointResidual = 2000

// AddResiduals adds draws of what inducing points leave, at a scale, to rows of
// utilities; see Posterior.Draws.
func (p *Prior) AddResiduals(out *mat.Dense, scale float64, rng *rand.Rand) {
	k, n := out.Dims()
	if n <= maxJointResidual {
		r := kernel.Gram(p.kernel, p.x)
		simd.Syrk(blas.NoTrans, -1, p.Features().RawMatrix(), 1, r.RawSymmetric())
		if chol, err := num.NewCholesky(scaled(r, 1/scale)); err == nil {
			white := num.Normals(k, n, rng)
			simd.Trmm(blas.Right, blas.Trans, 1, chol.L().RawTriangular(), white.RawMatrix())
			out.Add(out, white)
			return
		}
	}
	for i, v := range p.Residuals(Units(n)) {
		sd := math.Sqrt(v / scale)
		for r := range k {
			out.Set(r, i, out.At(r, i)+sd*rng.NormFloat64())
		}
	}
}

// Pull returns Linᵀ·Mean, the quadratic form hᵀCh.
func (q *Posterior) Pull() float64 {
	if q.own != nil {
		return q.own.lin
	}
	return simd.Dot(simd.Vec(q.ev.Lin), simd.Vec(q.Mean))
}

// Evidence returns what the posterior was made from, not to be modified; with own
// parts it is empty, since they see the sites apart.
func (q *Posterior) Evidence() Evidence { return q.ev }
