package population

import (
	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
)

// A person whose prior covariance comes as a root, S = JJᵀ with r columns, is
// inferred in its coordinates: f = m + Jy, y ~ N(0, I). S need not have an inverse,
// and no matrix grows with the square of the items. With Λ the Laplacian of the sites,
//
//	R = I + JᵀΛJ,  E y = R⁻¹Jᵀη,  Cov y = R⁻¹,
//
// and with X the inverse of the factor of R the variance of a pair is |X(J_i − J_j)|².

// solveRoot computes the marginals of all pairs for the sites tau, nu.
func (w *Person) solveRoot(v votes, tau, nu []float64) bool {
	m, r := w.m, w.r
	resize(&w.fact, r*r)
	resize(&w.temp, m*r)
	resize(&w.reach, m*r)
	w.counted(v, tau, nu)
	through := w.temp // ΛJ
	clear(through)
	clear(w.eta)
	for p := range v.win {
		i, j := int(v.win[p]), int(v.lose[p])
		t := w.rootTau[p] * w.rootTau[p]
		x := w.countNu[p] - t*(w.mean[i]-w.mean[j])
		w.eta[i] += x
		w.eta[j] -= x
		a, b := w.root[i*r:i*r+r], w.root[j*r:j*r+r]
		at, bt := through[i*r:i*r+r], through[j*r:j*r+r]
		for c, y := range a {
			y = t * (y - b[c])
			at[c] += y
			bt[c] -= y
		}
	}
	if r > 0 { // nothing is open of a person without columns
		serialBLAS.Dgemm(blas.Trans, blas.NoTrans, r, r, m, 1, w.root, r, through, r, 0, w.fact, r)
	}
	for c := range r {
		w.fact[c*r+c]++
	}
	logDet, ok := num.Factor(w.fact, r)
	if !ok {
		return false
	}
	w.logDetPost = -logDet
	num.InvertLower(w.fact, r)
	copy(w.reach, w.root)
	if r > 0 {
		serialBLAS.Dtrmm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, m, r, 1, w.fact, r, w.reach, r)
	}
	y := w.temp[:r] // X·Jᵀη
	clear(y)
	for i, e := range w.eta {
		num.Axpy(e, w.reach[i*r:i*r+r], y)
	}
	for i := range w.shift {
		w.shift[i] = num.Dot(w.reach[i*r:i*r+r], y)
	}
	for p := range v.win {
		i, j := int(v.win[p]), int(v.lose[p])
		a, b := w.reach[i*r:i*r+r], w.reach[j*r:j*r+r]
		var s float64
		for c, x := range a {
			s += (x - b[c]) * (x - b[c])
		}
		w.variance[p] = s
		w.marginal[p] = w.mean[i] + w.shift[i] - w.mean[j] - w.shift[j]
	}
	return true
}

// finishRoot finds s.
func (w *Person) finishRoot(v votes) {
	clear(w.pull)
	for p := range v.win {
		x := w.countNu[p] - w.rootTau[p]*w.rootTau[p]*w.marginal[p]
		w.pull[v.win[p]] += x
		w.pull[v.lose[p]] -= x
	}
}

// Weights sets dst to Cov y, both triangles, where Info is nil.
func (w *Person) Weights(dst []float64) {
	num.GramLower(dst, w.fact, w.r)
	num.Mirror(dst, w.r)
}
