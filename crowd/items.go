package crowd

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
)

// pull is what all votes of a row say of its columns: slope and curvature of
// the objective in the row's means, and the precisions that its votes leave on
// each column alone.
type pull struct {
	slope []float64 // Rows×(c+1)
	curve []float64 // Rows×(c+1)×(c+1)
	own   []float64 // Rows×(c+1)
}

// lookAtRows sums over the votes of every row. With w̃ = (1, w) and
// M_u = E[w̃w̃ᵀ] the slope of a vote is d1·E[w̃] + d2·Cov(w̃)a and its curvature is taken as −d2·M_u, which
// is exact where log p is quadratic.
func (e *engine) lookAtRows() pull {
	n, k := e.forms.Len(), e.columns()
	l := pull{make([]float64, n*k), make([]float64, n*k*k), make([]float64, n*k)}
	num.Parallel(n, rowGrain, func(lo, hi int) {
		sa, full := make([]float64, e.widest()), make([]float64, k)
		full[0] = 1
		for r := lo; r < hi; r++ {
			slope, curve, own := l.slope[r*k:r*k+k], l.curve[r*k*k:(r+1)*k*k], l.own[r*k:r*k+k]
			for i := e.rowStart[r]; i < e.rowStart[r+1]; i++ {
				p, u := int(e.rowVote[i]), int(e.rowVoter[i])
				w, cov := e.weights(u)
				d := len(w)
				e.marginal(p, w, cov, sa)
				count, d1, tau, bend := e.count[p], e.d1[p], math.Max(0, -e.d2[p]), e.bends(u, p)
				copy(full[1:], w[:e.c])
				slope[0] += count * d1
				own[0] += count * tau
				for c, x := range w[:e.c] {
					slope[c+1] += count * (d1*x - tau*sa[c])
					own[c+1] += count * bend * (x*x + cov[c*d+c])
				}
				for c, x := range full {
					row := curve[c*k : c*k+k]
					for j, y := range full {
						row[j] += count * tau * x * y
					}
					if c > 0 {
						for j, s := range cov[(c-1)*d : (c-1)*d+e.c] {
							row[j+1] += count * tau * s
						}
					}
				}
			}
		}
	})
	return l
}

// apart returns what rows say of all columns but the first.
func (l pull) apart(k int) pull {
	out := pull{slices.Clone(l.slope), slices.Clone(l.curve), l.own}
	for r := range len(l.slope) / k {
		out.slope[r*k] = 0
		for c := range k {
			out.curve[(r*k+c)*k], out.curve[r*k*k+c] = 0, 0
		}
	}
	return out
}

// updateMeans moves the means of consensus and factors together, by a Newton
// step whose system is solved by conjugate gradients. The bound is concave in
// them: the expectation of a concave function of a linear form. It takes the
// longest step that does not lower it.
func (e *engine) updateMeans(l pull) {
	if e.common != nil { // moved by itself
		if e.c == 0 {
			return
		}
		l = l.apart(e.columns())
	}
	e.climbMeans(l, e.expected(), e.evaluate)
}

// climbMeans does so for what votes return of the means there are, which was so much
// before, and returns how much higher it came.
func (e *engine) climbMeans(l pull, before float64, votes func() float64) float64 {
	k, d := e.columns(), e.prior.Dim()
	phi := e.prior.Features()
	old := mat.NewDense(d, k, nil)
	for c, q := range e.q {
		old.SetCol(c, q.Mean)
	}
	grad := mat.NewDense(d, k, nil)
	e.gather(grad, phi, l.slope)
	for c := range e.q {
		s := e.scale[c].Mean()
		for i := range d {
			grad.Set(i, c, grad.At(i, c)-s*old.At(i, c))
		}
	}
	step := e.solve(phi, l, grad)
	before -= e.pullBack()
	for size := 1.0; size > 1.0/1024; size /= 2 {
		e.moveMeans(old, step, size)
		if now := votes() - e.pullBack(); notBelow(now, before) {
			return now - before
		}
	}
	e.moveMeans(old, step, 0)
	votes()
	return 0
}

// pullBack is the prior's part.
func (e *engine) pullBack() (sum float64) {
	for k, q := range e.q {
		sum += 0.5 * e.scale[k].Mean() * num.Dot(q.Mean, q.Mean)
	}
	return sum
}

func (e *engine) moveMeans(from, step *mat.Dense, size float64) {
	d, k := from.Dims()
	num.Parallel(k, 1, func(lo, hi int) {
		mean := make([]float64, d)
		for c := lo; c < hi; c++ {
			if c == 0 && e.common != nil {
				continue
			}
			for i := range mean {
				mean[i] = from.At(i, c) + size*step.At(i, c)
			}
			e.setMean(c, mean)
		}
	})
}

// gather sets dst = ΦᵀBᵀx for a matrix x with a row for every row of forms.
func (e *engine) gather(dst, phi *mat.Dense, x []float64) {
	n, _ := phi.Dims()
	k := e.columns()
	items := make([]float64, n*k)
	for r := range e.forms.Len() {
		index, coef := e.forms.Row(r)
		for t, i := range index {
			for c, v := range x[r*k : r*k+k] {
				items[i*k+c] += coef[t] * v
			}
		}
	}
	simd.Gemm(blas.Trans, blas.NoTrans, 1, phi.RawMatrix(), simd.General{Rows: n, Cols: k, Stride: k, Data: items}, 0, dst.RawMatrix())
}

// solve returns x with s_k x_k + ΦᵀBᵀ curve BΦx = b, by conjugate gradients on
// the system divided by √s_k on both sides.
func (e *engine) solve(phi *mat.Dense, l pull, b *mat.Dense) *mat.Dense {
	d, k := b.Dims()
	n, _ := phi.Dims()
	root := make([]float64, k)
	for c := range root {
		root[c] = 1 / math.Sqrt(e.scale[c].Mean())
	}
	items, rows := mat.NewDense(n, k, nil), make([]float64, e.forms.Len()*k)
	in, out := mat.NewDense(d, k, nil), mat.NewDense(d, k, nil)
	apply := func(x []float64) []float64 {
		for i, v := range x {
			in.RawMatrix().Data[i] = v * root[i%k]
		}
		simd.Mul(items, phi, in)
		num.Parallel(e.forms.Len(), rowGrain, func(lo, hi int) {
			diff := make([]float64, k)
			for r := lo; r < hi; r++ {
				clear(diff)
				index, coef := e.forms.Row(r)
				for t, i := range index {
					for c, v := range items.RawRowView(i) {
						diff[c] += coef[t] * v
					}
				}
				for c := range k {
					rows[r*k+c] = num.Dot(l.curve[(r*k+c)*k:(r*k+c+1)*k], diff)
				}
			}
		})
		e.gather(out, phi, rows)
		y := make([]float64, len(x))
		for i, v := range out.RawMatrix().Data {
			y[i] = x[i] + v*root[i%k]
		}
		return y
	}
	res := make([]float64, d*k)
	for i, v := range b.RawMatrix().Data {
		res[i] = v * root[i%k]
	}
	x := num.ConjugateGradients(res, apply, nil, 50)
	for i := range x {
		x[i] *= root[i%k]
	}
	return mat.NewDense(d, k, x)
}

// updateCovariances sets q(e_k) to the precision that the votes leave. For
// factors that is the best there is; for the consensus it is a natural-gradient
// step, halved where it would lower the bound.
func (e *engine) updateCovariances(l pull) {
	num.Parallel(e.c, 1, func(lo, hi int) {
		for c := lo + 1; c <= hi; c++ {
			e.become(c, e.scale[c].Mean(), e.rowEvidence(l, c))
		}
	})
	if e.common != nil {
		return
	}
	target := e.rowEvidence(l, 0)
	q, trace := e.q[0], e.trace[0]
	before := e.expected() - e.divergence(0)
	for step := 1.0; step > 1.0/1024; step /= 2 {
		ev := q.Evidence().Clone()
		ev.Mix(step, 1, target)
		e.become(0, q.Scale+step*(e.scale[0].Mean()-q.Scale), ev)
		if notBelow(e.evaluate()-e.divergence(0), before) {
			return
		}
	}
	e.q[0], e.trace[0] = q, trace
	e.seeColumn(0)
	e.evaluate()
}

// rowEvidence is what rows say of column c alone.
func (e *engine) rowEvidence(l pull, c int) gp.Evidence {
	sites := make([]gp.Site, e.forms.Len())
	for r := range sites {
		sites[r].Tau = l.own[r*e.columns()+c]
	}
	return e.prior.Evidence(e.forms, sites, nil)
}

// become gives column c another covariance, its mean left as it is.
func (e *engine) become(c int, s float64, ev gp.Evidence) {
	e.q[c] = around(e.prior, e.q[c].Mean, s, ev)
	e.trace[c] = e.q[c].Trace()
	e.seeColumn(c)
}

// around returns the posterior with a given mean and precision sI + H.
func around(p *gp.Prior, mean []float64, s float64, ev gp.Evidence) *gp.Posterior {
	out := gp.Evidence{Lin: make([]float64, len(mean)), Quad: ev.Quad}
	copy(out.Lin, mean)
	simd.Symv(1, ev.Quad.RawSymmetric(), simd.Vec(mean), s, simd.Vec(out.Lin))
	q, err := gp.NewPosterior(p, s, out)
	if err != nil {
		panic(err) // s·I and more
	}
	copy(q.Mean, mean) // not a rounding away from what was asked for
	return q
}

// updateScales sets q(s_k) to the best: CROWD (15). On inducing points the
// consensus's is also the inverse scale of its residuals, and the step is held
// back where it would lower the bound.
func (e *engine) updateScales() {
	for k := range e.q {
		if k == 0 && e.common != nil {
			continue
		}
		if best := e.bestScale(k, 1); k == 0 && e.residual != nil {
			e.easeScale(best)
		} else {
			e.scale[k] = best
		}
	}
}

// bestScale returns the best q(s_k), the votes counted times over. With
// residuals κ_p/σ the bound's slope in log σ has the further term
// ½Σ_p τ_pκ_p/σ, which is taken where σ is now.
func (e *engine) bestScale(k int, times float64) infer.Gamma {
	q, prior := e.q[k], e.scalePrior[k]
	g := infer.Gamma{
		Shape: prior.Shape + 0.5*float64(len(q.Mean)),
		Rate:  prior.Rate + 0.5*(num.Dot(q.Mean, q.Mean)+e.trace[k]),
	}
	if k == 0 && e.residual != nil {
		var pull float64
		for p, r := range e.row {
			pull += e.count[p] * math.Max(0, -e.d2[p]) * e.residual[r]
		}
		g.Rate *= g.Shape / (g.Shape + 0.5*times*pull/e.scale[0].Mean())
	}
	return g
}

func (e *engine) easeScale(best infer.Gamma) {
	old, before := e.scale[0], e.expected()-e.divergence(0)
	for step := 1.0; step > 1.0/64; step /= 2 {
		mean := old.Mean() * math.Pow(best.Mean()/old.Mean(), step)
		e.scale[0] = infer.Gamma{Shape: best.Shape, Rate: best.Shape / mean}
		e.seeColumn(0)
		if notBelow(e.evaluate()-e.divergence(0), before) {
			return
		}
	}
	e.scale[0] = old
	e.seeColumn(0)
	e.evaluate()
}

// notBelow tells a rise from a fall, rounding apart.
func notBelow(x, before float64) bool { return x >= before-1e-14*math.Abs(before) }
