package gp

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// own is what a posterior knows of items with parts of their own. Given weights e
// the utilities are f = Ψe + A⁻¹h + ε with ε ~ N(0, A⁻¹), where A = s/λ + Σ τ b bᵀ
// joins items that were compared, h = Σ ν b and Ψ = A⁻¹(s/λ)Φ. What is left of the
// weights has precision S = sI + ΨᵀLΨ + (Φ−Ψ)ᵀ(s/λ)(Φ−Ψ) with L = Σ τ b bᵀ. That is
// the Gaussian posterior itself; only entries of A⁻¹ are approximate, see Inner.
type own struct {
	*Laplacian
	inner
	psi  *mat.Dense
	h    []float64
	part []float64 // means of the own parts, f − ΦMean
	lin  float64   // hᵀf
	quad float64   // Σ λ⁻¹ part²

	drawn *Laplacian             // of the first items, for draws; nil: of all
	first func() simd.Triangular // a root of what these have together; nil, or empty: walks tell of it
}

// Ways say how a posterior with own parts is found. The zero value will do.
type Ways struct {
	Inner Inner
	// Near is the posterior of the same rows under other sites, to start from.
	Near *Posterior
	// Checked says that belief propagation was found to do, so that it need not be looked
	// into again.
	Checked bool
	// Tolerance is how near to A⁻¹b a solve is to come, in units of b; 0 stands for
	// 1e-10. Variances have an error of its order, the bound none at all.
	Tolerance float64
}

// Posterior combines the prior at inverse scale s with the sites of rows, site r
// counted count[r] times (nil: once each); w matters for own parts only.
func (p *Prior) Posterior(s float64, rows *Rows, sites []Site, count []float64, w Ways) (*Posterior, error) {
	if !p.owned {
		return NewPosterior(p, s, p.Evidence(rows, sites, count))
	}
	w.Tolerance = cmp.Or(w.Tolerance, 1e-10)
	lambda := p.OwnVariances()
	prec := make([]float64, p.n)
	for i, v := range lambda {
		prec[i] = s / v
	}
	o := &own{Laplacian: p.Comparisons(rows).Laplacian(prec, sites, count), h: make([]float64, p.n)}
	for r, x := range sites {
		nu := x.Nu
		if count != nil {
			nu *= count[r]
		}
		rows.Scatter(r, nu, o.h)
	}
	o.inner = w.Inner.of(o.Laplacian, w.Checked)
	logDet := o.inner.logDet - p.LogPrec()
	if p.d == 0 {
		q := &Posterior{Prior: p, Scale: s, logDet: logDet, own: o}
		o.place(q, w)
		return q, nil
	}
	phi := p.Features()
	var start *mat.Dense
	if w.Near != nil {
		start = w.Near.own.psi
	}
	o.psi = o.Smooth(phi, start, w.Tolerance)
	left := o.Heard(phi, o.psi)
	for i := range p.d {
		left.SetSym(i, i, left.At(i, i)+s)
	}
	chol, err := num.NewExact(left)
	if err != nil {
		return nil, fmt.Errorf("gp: posterior precision of %d weights beside own parts at scale %g: %w", p.d, s, err)
	}
	q := &Posterior{Prior: p, Scale: s, logDet: chol.LogDet() + logDet, own: o}
	mean := mat.NewVecDense(p.d, nil)
	simd.Gemv(blas.Trans, 1, o.psi.RawMatrix(), simd.Vec(o.h), 0, mean.RawVector())
	chol.SolveVecTo(mean, mean)
	q.Mean = mean.RawVector().Data
	q.upper = chol.Upper()
	o.place(q, w)
	return q, nil
}

// place finds the means of the items, Af = h + (s/λ)Φm.
func (o *own) place(q *Posterior, w Ways) {
	n := q.Prior.n
	told := make([]float64, n)
	if q.Prior.d > 0 {
		simd.Gemv(blas.NoTrans, 1, q.Prior.Features().RawMatrix(), simd.Vec(q.Mean), 0, simd.Vec(told))
	}
	b := slices.Clone(o.h)
	for i, v := range told {
		b[i] += o.prec[i] * v
	}
	f := make([]float64, n)
	if w.Near != nil {
		copy(f, w.Near.f)
	}
	o.Solve(f, b, 1, min(w.Tolerance, 1e-10)) // cheap
	q.f = f
	o.part = make([]float64, n)
	lambda := q.Prior.OwnVariances()
	for i, v := range f {
		o.part[i] = v - told[i]
		o.lin += o.h[i] * v
		o.quad += o.part[i] * o.part[i] / lambda[i]
	}
}

// on returns what is known with further items, of which there are no votes.
func (o *own) on(q *Posterior, p *Prior) *Posterior {
	n := q.Prior.n
	if p.n < n {
		panic("gp: fewer items than the posterior has parts of their own for")
	}
	out := &Posterior{Prior: p, Scale: q.Scale, Mean: q.Mean, upper: q.upper, logDet: q.logDet}
	phi, lambda := p.Features(), p.OwnVariances()
	more := *o
	more.Laplacian = &Laplacian{Comparisons: o.Comparisons.with(p.n), prec: slices.Clone(o.prec), base: slices.Clone(o.base), tau: o.tau, pull: o.pull, diag: slices.Clone(o.diag)}
	more.item, more.h, more.part = slices.Clone(o.item), slices.Clone(o.h), slices.Clone(o.part)
	more.psi = mat.NewDense(p.n, p.d, nil)
	more.psi.Slice(0, n, 0, p.d).(*mat.Dense).Copy(o.psi)
	out.f = slices.Clone(q.f)
	for i := n; i < p.n; i++ {
		t := q.Scale / lambda[i]
		more.base, more.diag, more.prec = append(more.base, t), append(more.diag, t), append(more.prec, t)
		more.item, more.h, more.part = append(more.item, 1/t), append(more.h, 0), append(more.part, 0)
		more.psi.SetRow(i, phi.RawRowView(i))
		out.f = append(out.f, simd.Dot(simd.Vec(phi.RawRowView(i)), simd.Vec(q.Mean)))
	}
	out.own = &more
	return out
}

// First returns the posterior of the first items alone, of the prior p that was without
// those beside (see Prior.Beside).
func (q *Posterior) First(p *Prior) *Posterior {
	o := *q.own
	o.drawn = o.Laplacian.reduced(p.n)
	o.first = o.drawn.rootOfFirst(p.n)
	return &Posterior{Prior: p, Scale: q.Scale, logDet: q.logDet, own: &o, f: q.f[:p.n]}
}

// draws is the precision that joint draws of the items are from.
func (o *own) draws() *Laplacian {
	if o.drawn != nil {
		return o.drawn
	}
	return o.Laplacian
}

// Pairs returns how many pairs a draw of items with parts of their own goes along.
func (q *Posterior) Pairs() int { return len(q.own.draws().pairs) }

// Scaled returns the posterior of independent items with all utilities multiplied by c.
func (q *Posterior) Scaled(c float64) *Posterior {
	times := func(x []float64, c float64) []float64 {
		y := slices.Clone(x)
		for i := range y {
			y[i] *= c
		}
		return y
	}
	o := *q.own
	l := o.Laplacian.times(1 / (c * c))
	if o.Laplacian = l; o.drawn != nil {
		o.drawn = o.drawn.times(1 / (c * c))
		o.first = o.drawn.rootOfFirst(q.Prior.n)
	}
	o.item, o.inner.pair, o.h, o.part = times(o.item, c*c), times(o.inner.pair, c*c), times(o.h, 1/c), times(o.part, c)
	o.quad *= c * c
	if o.root.N > 0 {
		o.root.Data = times(o.root.Data, c)
	}
	if o.walks != nil {
		m := *o.common
		m.prior, m.Item = times(m.prior, 1/(c*c)), times(m.Item, c*c)
		o.common, o.walks = &m, &walks{l: l}
	}
	logDet := q.logDet - 2*float64(len(l.diag))*math.Log(c)
	return &Posterior{Prior: q.Prior, Scale: q.Scale / (c * c), logDet: logDet, own: &o, f: times(q.f, c)}
}

// between returns an entry of A⁻¹ as far as it is known: of an item, or of two that
// were compared; of others it is next to nothing.
func (o *own) between(i, j int) float64 {
	if i == j {
		return o.item[i]
	}
	if o.root.N > 0 {
		return entry(o.root, i, j)
	}
	if k := o.Comparisons.between(i, j); k >= 0 {
		return o.inner.pair[k]
	}
	if o.walks == nil {
		return 0
	}
	i, j = min(i, j), max(i, j)
	if root, ok := o.together(j); ok {
		return entry(root, i, j)
	}
	return o.walks.row(i, o.asked(j)).among(o.common, i, j)
}

// together returns a root of what the first items have together, if all up to the last are
// among them.
func (o *own) together(last int) (root simd.Triangular, ok bool) {
	if o.first == nil {
		return root, false
	}
	root = o.first()
	return root, last < root.N
}

// asked is how long a row is kept in which item j is asked for: whole, or as far as the first
// items go, whom most questions are about.
func (o *own) asked(j int) int {
	if o.drawn != nil && j < len(o.drawn.diag) {
		return len(o.drawn.diag)
	}
	return len(o.diag)
}

// row sets dst_k to the entry of A⁻¹ at i and others[k].
func (o *own) row(dst []float64, i int, others []int) {
	known := o.walks == nil || len(others) == 0
	if !known {
		_, known = o.together(max(i, slices.Max(others)))
	}
	if known {
		for k, j := range others {
			dst[k] = o.between(i, j)
		}
		return
	}
	x := o.walks.row(i, o.asked(slices.Max(others)))
	for k, j := range others {
		if e := o.Comparisons.between(i, j); i == j {
			dst[k] = o.item[i]
		} else if e >= 0 {
			dst[k] = o.inner.pair[e]
		} else {
			dst[k] = x.among(o.common, i, j)
		}
	}
}

// variance is that of a form given the weights.
func (o *own) variance(rows *Rows, r int) (v float64) {
	index, coef := rows.Row(r)
	for a, i := range index {
		for b, j := range index[:a+1] {
			c := coef[a] * coef[b] * o.between(i, j)
			if b < a {
				c *= 2
			}
			v += c
		}
	}
	return v
}

// dense returns A⁻¹ whole.
func (o *own) dense() *mat.SymDense {
	root := o.root
	if root.N == 0 {
		root, _ = o.inverseRoot()
	}
	inv := mat.NewSymDense(root.N, nil)
	simd.Syrk(blas.NoTrans, 1, simd.General{Rows: root.N, Cols: root.N, Stride: root.Stride, Data: root.Data}, 0, inv.RawSymmetric())
	return inv
}

// Reach returns the matrix Ψ whose rows times C are the covariances of the items'
// utilities with the weights: Φ, or with own parts what votes leave of it. It is
// not to be modified.
func (q *Posterior) Reach() *mat.Dense {
	if q.own != nil {
		return q.own.psi
	}
	return q.Prior.Features()
}

// OwnGrad returns the derivatives of an objective that is stationary in the sites in
// the variances λ of own parts at s = 1, given what the votes pull at every item:
// (α_i² − W_ii)/2s, W = P − PVP with P = s/λ and V the covariance of the own parts.
// It is nil without.
func (q *Posterior) OwnGrad(pull []float64) []float64 {
	o := q.own
	if o == nil {
		return nil
	}
	grad := make([]float64, len(o.prec))
	for i, p := range o.prec {
		grad[i] = (pull[i]*pull[i] - p*(1-p*o.item[i])) / (2 * q.Scale)
	}
	if q.Prior.d == 0 {
		return grad
	}
	n, d := o.psi.Dims()
	rest := mat.NewDense(n, d, nil) // P(Φ−Ψ)
	phi := q.Prior.Features()
	for i := range n {
		y, a, b := rest.RawRowView(i), phi.RawRowView(i), o.psi.RawRowView(i)
		for c := range y {
			y[c] = o.prec[i] * (a[c] - b[c])
		}
	}
	simd.Trsm(blas.Right, blas.NoTrans, 1, q.upper.RawTriangular(), rest.RawMatrix())
	for i := range grad {
		v := simd.Vec(rest.RawRowView(i))
		grad[i] += simd.Dot(v, v) / (2 * q.Scale)
	}
	return grad
}
