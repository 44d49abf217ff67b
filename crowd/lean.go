package crowd

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// lean raises the bound in q(B) and q(r). Given the voters the best is in closed
// form; but then B creeps, as voters with few votes stay where B puts them. So
// first it moves together with their means.
func (e *engine) lean() {
	l := e.leaning
	if l == nil || e.c == 0 {
		return
	}
	e.leanTogether()
	w := e.factorWeights()
	for range relevanceRounds {
		l.narrow()
		var sum mat.Dense
		simd.Mul(&sum, l.x.T(), w)
		simd.Mul(l.mean, l.cov, &sum)
		l.relevances()
	}
}

// relevanceRounds is how often slopes and relevances are set in turn: a round
// costs next to nothing, and relevances grow slowly.
const relevanceRounds = 10

// factorWeights returns the mean weights of all voters, a row each.
func (e *engine) factorWeights() *mat.Dense {
	w := mat.NewDense(e.Voters(), e.c, nil)
	for u := range e.Voters() {
		m, _ := e.weights(u)
		w.SetRow(u, m[:e.c])
	}
	return w
}

// leanTogether takes a Newton step in B, the voters' means eliminated: were
// votes Gaussian, a change D of B would move voter u by S_u·Dx_u, and the bound's
// curvature would be R + Σ_u xxᵀ⊗(I − S_u). The longest step is taken that does
// not lower the bound.
func (e *engine) leanTogether() {
	l := e.leaning
	step := e.leanStep()
	var ahead mat.Dense // what every voter is told by the step
	simd.Mul(&ahead, l.x, step)
	oldMean, oldW := mat.DenseCopyOf(l.mean), append([]float64(nil), e.w...)
	height := func() float64 { return e.expected() - e.wobble() - l.divergence() }
	before := height()
	for size := 1.0; size > 1.0/64; size /= 2 {
		var move mat.Dense
		move.Scale(size, step)
		l.mean.Add(oldMean, &move)
		copy(e.w, oldW)
		for u := range e.Voters() {
			w, cov := e.weights(u)
			d := len(w)
			for c, x := range ahead.RawRowView(u) {
				for i := range w {
					w[i] += size * x * cov[i*d+c]
				}
			}
		}
		e.evaluate()
		if notBelow(height(), before) {
			return
		}
	}
	l.mean.Copy(oldMean)
	copy(e.w, oldW)
	e.evaluate()
}

// leanStep solves for the step by conjugate gradients, preconditioned by the
// covariance of B, which is the answer were voters known.
func (e *engine) leanStep() *mat.Dense {
	l := e.leaning
	f, c := l.mean.Dims()
	var rest mat.Dense // what features do not tell of the weights
	simd.Mul(&rest, l.x, l.mean)
	rest.Sub(e.factorWeights(), &rest)
	res := mat.NewDense(f, c, nil)
	simd.Mul(res, l.x.T(), &rest)
	for k := range f {
		r := l.relevanceOf(k).Mean()
		for j := range c {
			res.Set(k, j, res.At(k, j)-r*l.mean.At(k, j))
		}
	}
	apply := func(d *mat.Dense) *mat.Dense {
		var y mat.Dense
		simd.Mul(&y, l.x, d)
		for u := range e.Voters() {
			w, cov := e.weights(u)
			row, n := y.RawRowView(u), len(w)
			told := append([]float64(nil), row...)
			for i := range row {
				row[i] -= dot(cov[i*n:i*n+c], told)
			}
		}
		out := mat.NewDense(f, c, nil)
		simd.Mul(out, l.x.T(), &y)
		for k := range f {
			r := l.relevanceOf(k).Mean()
			for j := range c {
				out.Set(k, j, out.At(k, j)+r*d.At(k, j))
			}
		}
		return out
	}
	inner := func(a, b *mat.Dense) float64 { return dot(a.RawMatrix().Data, b.RawMatrix().Data) }
	x, z, dir := mat.NewDense(f, c, nil), mat.NewDense(f, c, nil), mat.NewDense(f, c, nil)
	simd.Mul(z, l.cov, res)
	dir.Copy(z)
	rz := inner(res, z)
	stop := 1e-4 * rz
	for range 30 {
		if !(rz > stop) || math.IsInf(rz, 0) {
			break
		}
		ad := apply(dir)
		alpha := rz / inner(dir, ad)
		var move mat.Dense
		move.Scale(alpha, dir)
		x.Add(x, &move)
		move.Scale(alpha, ad)
		res.Sub(res, &move)
		simd.Mul(z, l.cov, res)
		next := inner(res, z)
		move.Scale(next/rz, dir)
		dir.Add(z, &move)
		rz = next
	}
	return x
}
