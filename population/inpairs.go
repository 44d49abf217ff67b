package population

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
)

// A person with fewer pairs than items is inferred in the space of the pairs,
// COLLAB (7) and (10) in their safe form: with M = BSBᵀ, T the counted
// precisions and N the counted ν,
//
//	R = I + √T·M·√T,  E = √T·R⁻¹·√T,  e = N − E(MN + Bm),
//	s = Bᵀe,  W = BᵀEB,  Cov z = M − MEM = √T⁻¹(I − R⁻¹)√T⁻¹,  E z = Bm + Me.
//
// The matrices are P×P in the first P² places of their room. A person has at most
// twice as many items as pairs.

// formPrior leaves M in prec.
func (w *Person) formPrior(v votes) {
	m, n := w.m, w.pairs
	if w.rooted {
		resize(&w.cov, m*m)
		serialBLAS.Dgemm(blas.NoTrans, blas.Trans, m, m, w.r, 1, w.root, w.r, w.root, w.r, 0, w.cov, m)
	}
	for p := range n {
		a, b := w.cov[int(v.win[p])*m:], w.cov[int(v.lose[p])*m:]
		row := w.prec[p*n : p*n+n]
		for q := range p + 1 {
			i, j := v.win[q], v.lose[q]
			row[q] = a[i] - a[j] - b[i] + b[j]
		}
	}
	w.shareNoise()
	num.Mirror(w.prec[:n*n], n)
}

// counted sets the precisions' roots and the counted ν of all pairs.
func (w *Person) counted(v votes, tau, nu []float64) {
	for p, t := range tau {
		c := v.countOf(p)
		w.rootTau[p], w.countNu[p] = math.Sqrt(c*t), c*nu[p]
	}
}

// solvePairs computes the marginals of all pairs for the sites tau, nu.
func (w *Person) solvePairs(v votes, tau, nu []float64) bool {
	n := w.pairs
	mm, x := w.prec[:n*n], w.fact[:n*n]
	w.counted(v, tau, nu)
	root, e, t := w.rootTau, w.e, w.z
	for p := range n {
		row, out, rp := mm[p*n:p*n+p+1], x[p*n:p*n+p+1], root[p]
		for q, k := range row {
			out[q] = rp * k * root[q]
		}
		out[p]++
	}
	logDet, ok := num.Factor(x, n)
	if !ok {
		return false
	}
	w.logDetPost = -logDet
	num.InvertLower(x, n)
	// e = N − √T·XᵀX·√T(MN + Bm)
	for p := range n {
		w.marginal[p] = w.mean[v.win[p]] - w.mean[v.lose[p]]
		t[p] = root[p] * (w.marginal[p] + num.Dot(mm[p*n:p*n+n], w.countNu))
	}
	clear(e)
	for p := range n {
		row := x[p*n : p*n+p+1]
		var s float64
		for q, y := range row {
			s += y * t[q]
		}
		for q, y := range row {
			e[q] += y * s
		}
	}
	for p := range n {
		e[p] = w.countNu[p] - root[p]*e[p]
	}
	for p := range n {
		w.marginal[p] += num.Dot(mm[p*n:p*n+n], e)
	}
	// The variances: √T·(Cov z)·√T = I − R⁻¹, and R⁻¹ = XᵀX.
	left := w.temp[:n]
	clear(left)
	for p := range n {
		for q, y := range x[p*n : p*n+p+1] {
			left[q] += y * y
		}
	}
	for p, l := range left {
		if told := 1 - l; told > leastTold {
			w.variance[p] = told / (root[p] * root[p])
		} else {
			w.variance[p] = mm[p*n+p] - w.taken(x, mm[p*n:p*n+n], n)
		}
	}
	return true
}

// leastTold is the share of a pair's information that its own site has to have for its variance to be told from
// that share; below too few digits would be left of it.
const leastTold = 0.01

// taken is what the sites take from the variance of the pair whose row of M this is: |X√T·row|².
func (w *Person) taken(x, row []float64, n int) (sum float64) {
	y := w.z[:n]
	for q, k := range row {
		y[q] = w.rootTau[q] * k
	}
	for p := range n {
		z := num.Dot(x[p*n:p*n+p+1], y[:p+1])
		sum += z * z
	}
	return sum
}

// finishPairs finds s and W.
func (w *Person) finishPairs(v votes) {
	m, n := w.m, w.pairs
	e := w.post[:n*n]
	num.GramLower(e, w.fact[:n*n], n)
	clear(w.info)
	clear(w.lap)
	clear(w.pull)
	clear(w.eta)
	for p := range n {
		i, j := int(v.win[p]), int(v.lose[p])
		w.pull[i] += w.e[p]
		w.pull[j] -= w.e[p]
		t := w.rootTau[p] * w.rootTau[p]
		w.lap[i*m+i] += t
		w.lap[j*m+j] += t
		w.lap[i*m+j] -= t
		w.lap[j*m+i] -= t
		x := w.countNu[p] - t*(w.mean[i]-w.mean[j])
		w.eta[i] += x
		w.eta[j] -= x
		ri, rj := w.info[i*m:i*m+m], w.info[j*m:j*m+m]
		for q := range p + 1 {
			x := w.rootTau[p] * w.rootTau[q] * e[p*n+q]
			if q == p {
				x /= 2 // the transpose is added below
			}
			a, b := v.win[q], v.lose[q]
			ri[a] += x
			ri[b] -= x
			rj[a] -= x
			rj[b] += x
		}
	}
	for i := range m {
		for j := range i + 1 {
			x := w.info[i*m+j] + w.info[j*m+i]
			w.info[i*m+j], w.info[j*m+i] = x, x
		}
	}
	num.SymVec(w.shift, w.cov, w.pull, m)
}
