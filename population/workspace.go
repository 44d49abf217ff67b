package population

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// workspace is all that inference for one person needs, reused for the next.
// Matrices are m×m with m the person's items; the lower triangle counts.
type workspace struct {
	m, pairs int

	mean []float64 // prior mean
	cov  []float64 // prior covariance S, whole
	kern []float64 // the part of it that comes from the item kernel, see LowRank
	rows []float64 // rows of factors, see LowRank
	prec []float64 // Π = S⁻¹

	lap   []float64 // Λ = Bᵀdiag(τ)B
	post  []float64 // C = (Π+Λ)⁻¹
	fact  []float64 // X, the inverse of the factor of Π+Λ: C = XᵀX
	eta   []float64 // Bᵀ(ν − τ∘Bm)
	shift []float64 // d = Cη, the posterior mean less the prior mean
	pull  []float64 // s = η − Λd = Πd: ∂log Z/∂mean
	info  []float64 // W = Λ − ΛCΛ: −∂²log Z/∂mean², of the Gaussian sites
	temp  []float64

	variance, marginal []float64 // of the forms
	cm, cv             []float64 // cavities, or the marginals again
	z, lp, h, rest     []float64
	wantTau, wantNu    []float64
	unitTau, unitNu    []float64
	rootTau, countNu   []float64 // see solvePairs
	e                  []float64
	accel              anderson

	logDetPrior, logDetPost float64
	fit                     float64 // Σ τv = tr ΛC
	skipped                 int
}

// resize prepares the workspace for m items and some pairs.
func (w *workspace) resize(m, pairs int) {
	w.m, w.pairs = m, pairs
	for _, s := range []*[]float64{&w.mean, &w.eta, &w.shift, &w.pull} {
		resize(s, m)
	}
	for _, s := range []*[]float64{&w.cov, &w.prec, &w.lap, &w.post, &w.fact, &w.info, &w.temp} {
		resize(s, m*m)
	}
	for _, s := range []*[]float64{&w.variance, &w.marginal, &w.cm, &w.cv, &w.z, &w.lp, &w.h, &w.rest, &w.wantTau, &w.wantNu, &w.unitTau, &w.unitNu, &w.rootTau, &w.countNu, &w.e} {
		resize(s, pairs)
	}
}

func resize(s *[]float64, n int) {
	if cap(*s) < n {
		*s = make([]float64, n, n+n/4)
	}
	*s = (*s)[:n]
}

// invertPrior fills prec from cov, with the least jitter that makes it work,
// relative to the mean diagonal.
func (w *workspace) invertPrior() (jitter float64, ok bool) {
	m := w.m
	var mean float64
	for i := range m {
		mean += w.cov[i*m+i] / float64(m)
	}
	for rung := 0.0; rung < 1e-3; rung = math.Max(1e-12, 10*rung) {
		copy(w.fact, w.cov)
		for i := range m {
			w.fact[i*m+i] += rung * mean
		}
		if w.logDetPrior, ok = inverse(w.prec, w.fact, m); ok {
			return rung * mean, true
		}
	}
	return 0, false
}

// solve computes the posterior for the sites tau, nu.
func (w *workspace) solve(v votes, tau, nu []float64) bool {
	m := w.m
	lap, eta, mean := w.lap, w.eta, w.mean
	clear(lap)
	clear(eta)
	for p, a := range v.win {
		b := v.lose[p]
		t, n := tau[p], nu[p]
		if v.count != nil {
			t, n = v.count[p]*t, v.count[p]*n
		}
		i, j := int(a), int(b)
		lap[i*m+i] += t
		lap[j*m+j] += t
		lap[max(i, j)*m+min(i, j)] -= t
		n -= t * (mean[i] - mean[j])
		eta[i] += n
		eta[j] -= n
	}
	for i := range m {
		q, l, f := w.prec[i*m:i*m+i+1], lap[i*m:i*m+i+1], w.fact[i*m:i*m+i+1]
		for j := range q {
			f[j] = q[j] + l[j]
		}
	}
	logDet, ok := inverse(w.post, w.fact, m)
	if !ok {
		return false
	}
	w.logDetPost = -logDet
	symVec(w.shift, w.post, eta, m)
	return true
}

// forms computes the marginals of all pairs.
func (w *workspace) forms(v votes) {
	m := w.m
	post, mean, shift := w.post, w.mean, w.shift
	for p, a := range v.win {
		i, j := int(a), int(v.lose[p])
		w.variance[p] = post[i*m+i] + post[j*m+j] - 2*post[max(i, j)*m+min(i, j)]
		w.marginal[p] = mean[i] + shift[i] - mean[j] - shift[j]
	}
}

// finish computes the pull s and the information W from the last posterior.
func (w *workspace) finish() {
	m := w.m
	symVec(w.pull, w.lap, w.shift, m)
	for i, e := range w.eta {
		w.pull[i] = e - w.pull[i]
	}
	// W = Λ − (XΛ)ᵀ(XΛ)
	mirror(w.lap, m)
	copy(w.info, w.lap)
	if m > plain {
		copy(w.temp, w.lap)
		serialBLAS.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, m, m, 1, w.fact, m, w.temp, m)
		serialBLAS.Dsyrk(blas.Lower, blas.Trans, m, m, -1, w.temp, m, 1, w.info, m)
		return
	}
	for k := range m {
		t := w.temp[:m]
		clear(t)
		for i, x := range w.fact[k*m : k*m+k+1] {
			for j, l := range w.lap[i*m : i*m+m] {
				t[j] += x * l
			}
		}
		for i, ti := range t {
			row := w.info[i*m : i*m+i+1]
			for j := range row {
				row[j] -= ti * t[j]
			}
		}
	}
}
