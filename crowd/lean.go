package crowd

import (
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
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
	height := func() float64 { return e.expected() - e.voterDivergence() - l.divergence() }
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
	apply := func(d []float64) []float64 {
		var y mat.Dense
		simd.Mul(&y, l.x, mat.NewDense(f, c, d))
		for u := range e.Voters() {
			w, cov := e.weights(u)
			row, n := y.RawRowView(u), len(w)
			told := append([]float64(nil), row...)
			for i := range row {
				row[i] -= num.Dot(cov[i*n:i*n+c], told)
			}
		}
		out := mat.NewDense(f, c, nil)
		simd.Mul(out, l.x.T(), &y)
		for k := range f {
			num.Axpy(l.relevanceOf(k).Mean(), d[k*c:(k+1)*c], out.RawRowView(k))
		}
		return out.RawMatrix().Data
	}
	known := func(r []float64) []float64 {
		out := mat.NewDense(f, c, nil)
		simd.Mul(out, l.cov, mat.NewDense(f, c, r))
		return out.RawMatrix().Data
	}
	return mat.NewDense(f, c, num.ConjugateGradients(res.RawMatrix().Data, apply, known, 30))
}
