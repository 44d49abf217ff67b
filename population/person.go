package population

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
	"palate/internal/simd"
)

// serialBLAS is for one goroutine: each person has one.
var serialBLAS = simd.BLAS{Serial: true}

// Person is one person under inference, the room of which is reused for the
// next. A Marginals sets what is known before the votes; a Collector reads what
// the votes leave. Vectors are over the person's items, matrices m×m with m
// their number.
type Person struct {
	m, pairs int
	space    space

	mean   []float64 // prior mean
	cov    []float64 // prior covariance S, whole
	root   []float64 // m×r, S = root·rootᵀ; set in place of cov where rooted
	r      int
	rooted bool
	noise  []float64 // variance of what each pair's form has besides
	base   []float64 // noise, with that of a vote where the pair is a vote
	noisy  bool
	kern   []float64 // the part of S that comes from the item kernel, see LowRank
	rows   []float64 // rows of factors, see LowRank
	prec   []float64 // Π = S⁻¹

	lap   []float64 // Λ = Bᵀdiag(τ)B
	post  []float64 // C = (Π+Λ)⁻¹
	fact  []float64 // X, the inverse of the factor of Π+Λ: C = XᵀX
	eta   []float64 // Bᵀ(ν − τ∘Bm)
	shift []float64 // d = Cη, the posterior mean less the prior mean
	pull  []float64 // s = η − Λd = Πd: ∂log Z/∂mean
	info  []float64 // W = Λ − ΛCΛ: −∂²log Z/∂mean², of the Gaussian sites
	temp  []float64
	reach []float64 // root·Xᵀ, see inroot.go

	blocks []block // answers about several items, see answers.go
	loose  int     // pairs that are votes; those of answers follow
	copied bool    // an answer was given more than once

	variance, marginal []float64 // of the forms
	cm, cv             []float64 // cavities, or the marginals again
	z, lp, h, rest     []float64
	wantTau, wantNu    []float64
	unitTau, unitNu    []float64
	rootTau, countNu   []float64 // see solvePairs
	e                  []float64
	accel              num.Anderson

	logDetPrior, logDetPost float64
	fit                     float64 // Σ τv = tr ΛC, at the end tr SW
	stir                    float64 // Σ noise·∂log Z/∂noise
	skipped                 int
	lean                    float64 // what the left side is worth
}

// space is the coordinates in which a person's Gaussian is solved. All lead to the
// same result.
type space int

const (
	inItems space = iota // utilities of items, by the inverse of their covariance
	inPairs              // differences of pairs, where they are fewer; see inpairs.go
	inRoot               // the columns of a root of the covariance; see inroot.go
)

// resize prepares the person for m items and some pairs.
func (w *Person) resize(m, pairs int) {
	w.m, w.pairs, w.rooted, w.noisy = m, pairs, false, false
	for _, s := range []*[]float64{&w.mean, &w.eta, &w.shift, &w.pull} {
		resize(s, m)
	}
	for _, s := range []*[]float64{&w.noise, &w.base, &w.variance, &w.marginal, &w.cm, &w.cv, &w.z, &w.lp, &w.h, &w.rest, &w.wantTau, &w.wantNu, &w.unitTau, &w.unitNu, &w.rootTau, &w.countNu, &w.e} {
		resize(s, pairs)
	}
}

// Mean is where a Marginals puts the prior mean.
func (w *Person) Mean() []float64 { return w.mean }

// Cov is where a Marginals puts the prior covariance, both triangles.
func (w *Person) Cov() []float64 {
	resize(&w.cov, w.m*w.m)
	return w.cov
}

// Root is where a Marginals puts a root of the prior covariance with r columns, in
// place of Cov: m×r, zero to begin with. It is for covariances that are singular, or
// of far lower rank than the person has items.
func (w *Person) Root(r int) []float64 {
	w.rooted, w.r = true, r
	resize(&w.root, w.m*r)
	clear(w.root)
	return w.root
}

// Noise is where a Marginals puts the variance that each pair's form has besides
// that of the utilities, zero to begin with.
func (w *Person) Noise() []float64 {
	w.noisy = true
	clear(w.noise)
	return w.noise
}

// Pull returns s = ∂log Z/∂mean: the posterior mean is m + Ss.
func (w *Person) Pull() []float64 { return w.pull }

// Info returns W, both triangles: the posterior covariance is S − SWS. It is nil
// where Weights has the covariance of the columns of a root.
func (w *Person) Info() []float64 {
	if w.space == inRoot {
		return nil
	}
	num.Mirror(w.info, w.m)
	return w.info
}

// Forms returns the posterior means of the pairs' forms, without their noise.
func (w *Person) Forms() []float64 { return w.marginal }

// Stretch returns the derivative of log Z in the logarithm of a common factor of all
// prior variances and squared prior means, noise included.
func (w *Person) Stretch() float64 {
	sum := w.stir - 0.5*w.fit
	for i, s := range w.pull {
		sum += 0.5 * s * (w.shift[i] + w.mean[i])
	}
	return sum
}

// LogDet returns the logarithm of the determinant of the posterior covariance, less that
// of the prior's.
func (w *Person) LogDet() float64 { return w.logDetPost - w.logDetPrior }

// prepare finds the space and what of the prior is needed there.
func (w *Person) prepare(e *method, v votes) (jitter float64, ok bool) {
	if !w.noisy {
		clear(w.noise)
	}
	for p, x := range w.noise {
		w.base[p] = 1 + x
	}
	w.gatherAnswers(v)
	for p := w.loose; p < w.pairs; p++ {
		w.base[p] = w.noise[p]
	}
	w.logDetPrior = 0
	rank := w.m
	if w.space = inItems; w.rooted {
		w.space, rank = inRoot, w.r
	}
	if w.pairs < rank && !e.inItems && !w.copied {
		w.space = inPairs
	}
	if w.space == inRoot {
		return 0, true
	}
	side := w.m
	if w.space == inPairs {
		side = max(w.m, w.pairs)
	}
	for _, s := range []*[]float64{&w.lap, &w.info} {
		resize(s, w.m*w.m)
	}
	for _, s := range []*[]float64{&w.prec, &w.post, &w.fact, &w.temp} {
		resize(s, side*side)
	}
	if w.space == inPairs {
		w.formPrior(v)
		return 0, true
	}
	return w.invertPrior()
}

// solve computes the marginals of all pairs for the sites tau, nu.
func (w *Person) solve(v votes, tau, nu []float64) bool {
	switch w.space {
	case inPairs:
		return w.solvePairs(v, tau, nu)
	case inRoot:
		return w.solveRoot(v, tau, nu)
	}
	if !w.solveItems(v, tau, nu) {
		return false
	}
	w.forms(v)
	w.drawnForms()
	return true
}

// finish computes the pull s and the information W from the last posterior.
func (w *Person) finish(v votes) {
	switch w.space {
	case inPairs:
		w.finishPairs(v)
	case inRoot:
		w.finishRoot(v)
	default:
		w.finishItems()
	}
	if len(w.blocks) > 0 {
		w.fit = w.fitOfUtilities()
	}
}

func resize(s *[]float64, n int) {
	if cap(*s) < n {
		*s = make([]float64, n, n+n/4)
	}
	*s = (*s)[:n]
}

// invertPrior fills prec from cov, with the least jitter that makes it work,
// relative to the mean diagonal. A pivot that is rounding does not.
func (w *Person) invertPrior() (jitter float64, ok bool) {
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
		w.logDetPrior, ok = num.Invert(w.prec, w.fact, m)
		for i := range m {
			x := w.fact[i*m+i] // one over the root of the pivot
			ok = ok && 1 > float64(m)*0x1p-52*(w.cov[i*m+i]+rung*mean)*x*x
		}
		if ok {
			return rung * mean, true
		}
	}
	return 0, false
}

// solveItems computes the posterior for the sites tau, nu.
func (w *Person) solveItems(v votes, tau, nu []float64) bool {
	m := w.m
	lap, eta, mean := w.lap, w.eta, w.mean
	clear(lap)
	clear(eta)
	for p, a := range v.win[:w.loose] {
		b := v.lose[p]
		c := v.countOf(p)
		t, n := c*tau[p], c*nu[p]
		i, j := int(a), int(b)
		lap[i*m+i] += t
		lap[j*m+j] += t
		lap[max(i, j)*m+min(i, j)] -= t
		n -= t * (mean[i] - mean[j])
		eta[i] += n
		eta[j] -= n
	}
	drawn := w.sendAnswers(tau, nu)
	for i := range m {
		q, l, f := w.prec[i*m:i*m+i+1], lap[i*m:i*m+i+1], w.fact[i*m:i*m+i+1]
		for j := range q {
			f[j] = q[j] + l[j]
		}
	}
	logDet, ok := num.Invert(w.post, w.fact, m)
	if !ok {
		return false
	}
	w.logDetPost = -logDet - drawn
	num.SymVec(w.shift, w.post, eta, m)
	return true
}

// forms computes the marginals of all pairs.
func (w *Person) forms(v votes) {
	m := w.m
	post, mean, shift := w.post, w.mean, w.shift
	for p, a := range v.win[:w.loose] {
		i, j := int(a), int(v.lose[p])
		w.variance[p] = post[i*m+i] + post[j*m+j] - 2*post[max(i, j)*m+min(i, j)]
		w.marginal[p] = mean[i] + shift[i] - mean[j] - shift[j]
	}
}

// finishItems finds s and W = Λ − ΛCΛ.
func (w *Person) finishItems() {
	m := w.m
	num.SymVec(w.pull, w.lap, w.shift, m)
	for i, e := range w.eta {
		w.pull[i] = e - w.pull[i]
	}
	// W = Λ − (XΛ)ᵀ(XΛ)
	num.Mirror(w.lap, m)
	copy(w.info, w.lap)
	if m > num.Plain {
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
