package crowd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// Form returns mean and variance under q of a form of the items' utilities to
// voter u; a negative one is somebody nothing is known of. The variance is that
// of the product, exactly, with consensus and voters apart, as q has them.
func (l *Learnt) Form(u int, rows *gp.Rows) (mean, variance float64) {
	m, v := l.Forms(u, rows)
	return m[0], v[0]
}

// Forms is Form of every row.
func (l *Learnt) Forms(u int, rows *gp.Rows) (mean, variance []float64) {
	return l.FormsWith(u, rows, l.Parts(rows))
}

// Parts are means and variances under q of forms of the items' utilities, in the consensus
// first and then in each factor: what is the same for all voters.
type Parts struct{ mean, variance [][]float64 }

// Parts returns those of every row's form.
func (l *Learnt) Parts(rows *gp.Rows) Parts {
	p := Parts{make([][]float64, len(l.q)), make([][]float64, len(l.q))}
	p.mean[0], p.variance[0] = l.apart(rows)
	var rest []float64
	if len(l.q) > 1 && !l.spanned {
		rest = l.prior.Residuals(rows)
	}
	for k := 1; k < len(l.q); k++ {
		p.mean[k], p.variance[k] = l.q[k].Forms(rows)
		for r, x := range rest {
			p.variance[k][r] += x / l.scale[k].Mean()
		}
	}
	return p
}

// FormsWith is Forms where the parts are known already.
func (l *Learnt) FormsWith(u int, rows *gp.Rows, parts Parts) (mean, variance []float64) {
	var w, cov []float64
	var items []int32 // that the voter has tastes of their own for
	d := l.c
	if u >= 0 {
		w, cov = l.weights(u)
		if d = len(w); l.own {
			items = l.ownItem[l.ownStart[u]:l.ownStart[u+1]]
		}
	} else {
		w, cov = l.unknown(nil)
	}
	mean, variance = make([]float64, rows.Len()), make([]float64, rows.Len())
	var at []int    // dimensions of the voter that z takes something of
	var a []float64 // and what it takes
	for r := range mean {
		at, a = at[:0], a[:0]
		var rest float64
		for k := 1; k < len(l.q); k++ {
			at, a = append(at, k-1), append(a, parts.mean[k][r])
			rest += (w[k-1]*w[k-1] + cov[(k-1)*d+k-1]) * parts.variance[k][r]
		}
		if l.own {
			index, coef := rows.Row(r)
			for t, i := range index {
				if k, ok := slices.BinarySearch(items, int32(i)); ok {
					at, a = append(at, l.c+k), append(a, coef[t])
				} else {
					rest += coef[t] * coef[t] / l.ownScale.Mean()
				}
			}
		}
		m, v := parts.mean[0][r], parts.variance[0][r]+rest
		for s, i := range at {
			row, x := cov[i*d:i*d+d], 0.0
			for t, j := range at {
				x += row[j] * a[t]
			}
			m, v = m+w[i]*a[s], v+x*a[s]
		}
		mean[r], variance[r] = m, v
	}
	return mean, variance
}

// Means returns the means of all items in the consensus under q, and in each factor.
func (l *Learnt) Means() [][]float64 {
	means := make([][]float64, len(l.q))
	for k, q := range l.q {
		means[k] = utilities(q)
	}
	if l.common != nil {
		means[0] = slices.Clone(l.common.f)
	}
	return means
}

// MeansTo sets dst to the means of the utilities of all items to voter u, as Form would tell
// them one by one, by what Means returns.
func (l *Learnt) MeansTo(dst []float64, u int, means [][]float64) {
	var w []float64
	if u >= 0 {
		w = l.meanWeights(u)
	} else {
		w, _ = l.unknown(nil)
	}
	copy(dst, means[0])
	for k, m := range means[1:] {
		num.Axpy(w[k], m, dst)
	}
	if l.own && u >= 0 {
		for k, i := range l.ownItem[l.ownStart[u]:l.ownStart[u+1]] {
			dst[i] += w[l.c+k]
		}
	}
}

// Consensus returns mean and variance of a form of the consensus utilities, tastes
// integrated out where there are few enough items.
func (l *Learnt) Consensus(rows *gp.Rows) (mean, variance float64) {
	w, err := l.wide(context.Background())
	if err != nil {
		panic(err) // the context does not end
	}
	if w == nil {
		m, v := l.apart(rows)
		return m[0], v[0]
	}
	m, v := w.Forms(rows)
	if r := w.Prior.Residuals(rows); r != nil {
		v[0] += r[0] / w.Scale
	}
	return m[0], v[0]
}

// Unit is by how much utilities are to be multiplied to be in units of the noise of a new
// voter's vote, tastes included: 1/√(1 + v) of a voter of the usual care, v the variance
// between voters of the difference of two items, its mean over all pairs of the first n.
func (l *Learnt) Unit(n int) (unit float64) {
	var v float64
	if l.own && n > 1 {
		v = 2 / l.ownScale.Mean()
	}
	_, cov := l.unknown(nil)
	factors := l.Means()[1:]
	for k := range factors {
		factors[k] = factors[k][:n]
	}
	for _, f := range factors {
		centre := 0.0
		for _, x := range f {
			centre += x / float64(n)
		}
		for i := range f {
			f[i] -= centre
		}
	}
	for a, f := range factors {
		for b, g := range factors {
			v += 2 * cov[a*l.c+b] * num.Dot(f, g) / float64(max(1, n-1))
		}
	}
	for _, c := range l.Classes(-1) {
		unit += c.Share * c.Slope / math.Sqrt(1+c.Slope*c.Slope*v)
	}
	return unit
}

// apart is Consensus under q, of every row.
func (l *Learnt) apart(rows *gp.Rows) (mean, variance []float64) {
	if l.common != nil {
		return l.common.forms(rows)
	}
	mean, variance = l.q[0].Forms(rows)
	for r, x := range l.prior.Residuals(rows) {
		variance[r] += x / l.scale[0].Mean()
	}
	return mean, variance
}

// Draws returns joint draws of the utilities of all items to voter u, a row
// each; for a negative voter draws of the consensus. Where there are few enough items
// consensus and voter are drawn together.
func (l *Learnt) Draws(ctx context.Context, u, n int, rng *rand.Rand) (*mat.Dense, error) {
	wide, err := l.wide(ctx)
	if err != nil {
		return nil, err
	}
	column := func(k int) (*mat.Dense, error) {
		switch {
		case k == 0 && wide != nil:
			f, _, err := wide.Draws(ctx, num.Normals(n, wide.Prior.Dim(), rng), rng)
			return f, err
		case k == 0 && l.common != nil:
			return l.common.draws(ctx, n, rng)
		}
		white := num.Normals(n, l.prior.Dim(), rng)
		if !l.prior.Sparse() {
			f, _, err := l.q[k].Draws(ctx, white, rng)
			return f, err
		}
		f := mat.NewDense(n, l.prior.Len(), nil)
		weights, err := l.q[k].WeightDraws(ctx, white)
		if err != nil {
			return nil, err
		}
		simd.Mul(f, weights, l.prior.Features().T())
		if k == 0 || !l.spanned {
			l.prior.AddResiduals(f, l.scale[k].Mean(), rng)
		}
		return f, nil
	}
	out, err := column(0)
	if err != nil || u < 0 {
		return out, err
	}
	w, cov := l.weights(u)
	d := len(w)
	if d == 0 {
		return out, nil
	}
	chol, err := num.NewExact(mat.NewSymDense(d, slices.Clone(cov)))
	if err != nil {
		panic(fmt.Errorf("crowd: a voter's covariance: %w", err))
	}
	weights := num.Normals(n, d, rng)
	simd.Mul(weights, weights, chol.Lower().T())
	for i := range n {
		row := weights.RawRowView(i)
		for j := range row {
			row[j] += w[j]
		}
	}
	if wide != nil {
		l.follow(u, weights, out, wide.Utilities())
	}
	for c := range l.c {
		f, err := column(c + 1)
		if err != nil {
			return nil, err
		}
		for i := range n {
			row, x := out.RawRowView(i), weights.At(i, c)
			for j, v := range f.RawRowView(i) {
				row[j] += x * v
			}
		}
	}
	if l.own {
		items := l.ownItem[l.ownStart[u]:l.ownStart[u+1]]
		sd := 1 / math.Sqrt(l.ownScale.Mean())
		for i := range n {
			row := out.RawRowView(i)
			for j := range row {
				if k, ok := slices.BinarySearch(items, int32(j)); ok {
					row[j] += weights.At(i, l.c+k)
				} else {
					row[j] += sd * rng.NormFloat64()
				}
			}
		}
	}
	return out, ctx.Err()
}

// On returns what was learnt, seen at other items on the same weights: those of
// the fit come first, and new ones are known by their features.
func (l *Learnt) On(prior *gp.Prior) *Learnt {
	e := *l.engine
	out := &Learnt{engine: &e, Threshold: l.Threshold, Trace: l.Trace, Status: l.Status}
	e.Votes = &Votes{items: prior.Len(), owner: l.owner}
	e.q = slices.Clone(l.q)
	out.on(prior)
	out.prepareJoint()
	return out
}
