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

// Draws returns joint draws of the person's utilities, a row each, and for each
// the log of the true over the approximate likelihood of the person's votes; nil of somebody
// who answered about several items, as the true one has no closed form.
//
// A draw f of the prior becomes one of the posterior by Matheron's rule: with e
// a draw of N(0, Λ), f + S[:,it](s + e − ΛCe − W f_it).
func (q *Posterior) Draws(ctx context.Context, n int, rng *rand.Rand) (f *mat.Dense, surprise []float64, err error) {
	f = q.prior.sample(n, rng)
	surprise = make([]float64, n)
	items, m := q.prior.NumItems(), len(q.items)
	mean := make([]float64, items)
	for i := range mean {
		mean[i] = q.prior.Mean(q.person, i)
	}
	if m == 0 {
		for k := range n {
			num.Axpy(1, mean, f.RawRowView(k))
		}
		return f, surprise, ctx.Err()
	}
	push := mat.NewDense(n, m, nil)
	own, e, ce, t := make([]float64, m), make([]float64, m), make([]float64, m), make([]float64, m)
	z, roots := make([]float64, len(q.tau)), answerRoots(q.votes, q.tau)
	for k := range n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row, out := f.RawRowView(k), push.RawRowView(k)
		clear(e)
		for p := range z {
			z[p] = rng.NormFloat64()
		}
		for _, r := range roots {
			r.turn(z)
		}
		for p, tau := range q.tau {
			x := math.Sqrt(tau*q.votes.countOf(p)) * z[p]
			e[q.votes.win[p]] += x
			e[q.votes.lose[p]] -= x
		}
		for j, item := range q.items {
			own[j] = row[item]
		}
		num.SymVec(ce, q.cov, e, m)
		num.SymVec(t, q.lap, ce, m)
		num.SymVec(ce, q.info, own, m)
		for j := range out {
			out[j] = q.pull[j] + e[j] - t[j] - ce[j]
		}
	}
	cross := mat.NewDense(m, items, nil)
	for j, item := range q.items {
		row := cross.RawRowView(j)
		for i := range row {
			row[i] = q.prior.Cov(i, int(item))
		}
	}
	var move mat.Dense
	simd.Mul(&move, push, cross)
	f.Add(f, &move)
	for k := range n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		row := f.RawRowView(k)
		if num.Axpy(1, mean, row); len(roots) > 0 {
			continue
		}
		var w float64
		for p, tau := range q.tau {
			z := row[q.items[q.votes.win[p]]] - row[q.items[q.votes.lose[p]]]
			kind := q.votes.kindOf(p)
			lp, _, _ := q.likelihood[kind].LogProb(z + q.lean*q.side[kind])
			w += q.votes.countOf(p) * (lp - q.nu[p]*z + 0.5*tau*z*z)
		}
		surprise[k] = w
	}
	if len(roots) > 0 {
		surprise = nil
	}
	return f, surprise, ctx.Err()
}

// sample returns draws of the prior, less its mean.
func (p *LowRank) sample(n int, rng *rand.Rand) *mat.Dense {
	items := p.Items.N
	f := num.Normals(n, items, rng)
	if p.Items.K != nil {
		l := p.ownFactor()
		data := f.RawMatrix().Data
		// rows: f ← f Lᵀ
		simd.BLAS{}.Dtrmm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, items, 1, l, items, data, items)
	} else {
		for k := range n {
			row := f.RawRowView(k)
			for i := range row {
				row[i] *= math.Sqrt(1 - p.Share + p.extra(i))
			}
		}
	}
	if p.D > 0 {
		var low mat.Dense
		simd.Mul(&low, num.Normals(n, p.D, rng), mat.NewDense(items, p.D, p.A).T())
		f.Add(f, &low)
	}
	f.Scale(math.Sqrt(p.Scale), f)
	return f
}

// ownFactor is the factor of kK + (1−k)I, found once.
func (p *LowRank) ownFactor() []float64 {
	root := p.root
	if root == nil {
		root = &lazy{}
	}
	root.once.Do(func() {
		n := p.Items.N
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				a[i*n+j] = p.Share * p.Items.K[i*n+j]
			}
			a[i*n+i] += 1 - p.Share + p.extra(i)
		}
		if !num.FactorWide(a, n) {
			panic("population: kK + (1−k)I is not positive definite")
		}
		root.data = a
	})
	return root.data
}
