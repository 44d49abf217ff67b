package crowd

import (
	"math"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// engine is q with the votes it is inferred from. Column 0 of everything that
// has one a factor is the consensus t, whose voter weight is known to be 1.
type engine struct {
	*Votes
	prior    *gp.Prior
	onItems  *gp.Prior           // the prior over items, where prior is over rows
	spanned  bool                // factors are functions of inducing points, without residual
	forms    *gp.Rows            // the rows, over the coordinates of prior
	residual []float64           // of the rows, at scale 1, which the consensus has; nil without
	common   *consensus          // q of the consensus where items have a nugget; column 0 of q is idle then
	c        int                 // factors
	lik      []likelihood.Scalar // by kind, and class of voters within it
	bend     []float64           // by kind: the most that log p bends
	classes  *classes            // of voters; nil when all are of one

	scalePrior []infer.Gamma   // of column k
	scale      []infer.Gamma   // q(s_k)
	q          []*gp.Posterior // q(e_k)
	trace      []float64       // of its covariance

	own      bool        // voters have tastes of their own
	ownPrior infer.Gamma // of the inverse scale of own tastes
	ownScale infer.Gamma // posterior of the same inverse scale
	ownStart []int       // the items of voter u are ownItem[ownStart[u]] …
	ownItem  []int32     // ascending
	place    [][2]int16  // of winner and loser of a vote among them; −1: not there

	leaning *leaning // what features tell of voters; nil without

	propagated bool // voters are inferred by EP

	w         []float64 // means of weights and own tastes, c + items a voter
	cov       []float64 // covariances
	covStart  []int
	logDet    []float64       // of the covariances
	sites     *sitePrecisions // what covariances follow from where there are none
	g, d1, d2 []float64       // expected log probability of every vote, and its derivatives

	a, s []float64 // mean and variance of column k in row r, Rows×(c+1)

	rowStart []int // votes by row
	rowVote  []int32
	rowVoter []int32
}

// voterGrain and rowGrain are how many voters, or rows, one goroutine takes at
// a time.
const (
	voterGrain = 16
	rowGrain   = 64
)

// columns returns c+1.
func (e *engine) columns() int { return e.c + 1 }

func (e *engine) setThreshold(threshold float64) {
	e.lik, e.bend = nil, nil
	for _, kind := range e.kinds {
		for c := range e.classes.number() {
			slope, margin := 1.0, threshold
			if e.classes != nil {
				slope, margin = e.classes.slope[c], threshold*e.classes.margin[c]
			}
			e.lik = append(e.lik, kind.Likelihood(slope, margin))
			// A probability is a Gaussian of variance 1 about z, cut off: the second
			// derivative of its log is the variance of what is left, less 1.
			e.bend = append(e.bend, kind.Power*slope*slope)
		}
	}
}

// voter is room for the work on one voter.
type voter struct {
	prec, work, cov, oldCov, target []float64
	lin, w, oldW, sa, pull          []float64
	own                             []float64 // precision before the votes
	lead                            []float64 // what features lead one to expect of the weights
}

func (e *engine) newVoter() *voter {
	d := e.widest()
	f := func(n int) []float64 { return make([]float64, n) }
	return &voter{
		prec: f(d * d), work: f(d * d), cov: f(d * d), oldCov: f(d * d), target: f(d * d),
		lin: f(d), w: f(d), oldW: f(d), sa: f(d), pull: f(d), own: f(d), lead: f(e.c),
	}
}

// fit cuts the room to d dimensions.
func (v *voter) fit(d int) {
	v.prec, v.cov, v.oldCov, v.target = v.prec[:d*d], v.cov[:d*d], v.oldCov[:d*d], v.target[:d*d]
	v.lin, v.w, v.oldW, v.sa, v.pull, v.own = v.lin[:d], v.w[:d], v.oldW[:d], v.sa[:d], v.pull[:d], v.own[:d]
}

// widest returns the most dimensions of a voter.
func (e *engine) widest() (d int) {
	for u := range e.Voters() {
		d = max(d, e.dim(u))
	}
	return d
}

func (e *engine) dim(u int) int {
	if !e.own {
		return e.c
	}
	return e.c + e.ownStart[u+1] - e.ownStart[u]
}

// weights returns mean and covariance of what is inferred of voter u: the
// weights of the factors, then the own taste for each of the voter's items.
func (e *engine) weights(u int) (w, cov []float64) {
	w = e.meanWeights(u)
	if e.compact() {
		return w, e.covarianceFromSites(u)
	}
	return w, e.cov[e.covStart[u] : e.covStart[u]+len(w)*len(w)]
}

func (e *engine) meanWeights(u int) []float64 {
	lo := u * e.c
	if e.own {
		lo += e.ownStart[u]
	}
	return e.w[lo : lo+e.dim(u)]
}

// marginal returns mean and variance of the Gaussian part of z for vote p, and
// the variance of what is left, which the factors' uncertainty makes. It sets sa
// to the covariances of the voter's weights with z.
func (e *engine) marginal(p int, w, cov, sa []float64) (mean, variance, rest float64) {
	k, d, r := e.columns(), len(w), int(e.row[p])
	a, s := e.a[r*k+1:r*k+k], e.s[r*k:r*k+k]
	i, j := e.places(p)
	with := func(t int) float64 { // covariance of dimension t with z
		row := cov[t*d : t*d+d]
		x := num.Dot(a, row)
		if i >= 0 {
			x += row[i]
		}
		if j >= 0 {
			x -= row[j]
		}
		return x
	}
	for c := range a {
		sa[c] = with(c)
		rest += (w[c]*w[c] + cov[c*d+c]) * s[c+1]
	}
	mean, variance = e.mean(p, w), s[0]+num.Dot(a, sa)
	if i >= 0 {
		variance += with(i)
	}
	if j >= 0 {
		variance -= with(j)
	}
	return mean, variance, rest
}

// mean returns that of z for vote p.
func (e *engine) mean(p int, w []float64) float64 {
	k, r := e.columns(), int(e.row[p])
	a := e.a[r*k : r*k+k]
	m := a[0] + num.Dot(a[1:], w)
	i, j := e.places(p)
	if i >= 0 {
		m += w[i]
	}
	if j >= 0 {
		m -= w[j]
	}
	return m
}

// seeColumn notes what q(e_k) and q(s_k) say of the rows.
func (e *engine) seeColumn(k int) {
	var mean, variance []float64
	if k == 0 && e.common != nil {
		mean, variance = e.common.forms(&e.Votes.rows)
	} else {
		mean, variance = e.q[k].Forms(e.forms)
	}
	n := e.columns()
	for r := range mean {
		e.a[r*n+k], e.s[r*n+k] = mean[r], variance[r]
		if k == 0 && e.residual != nil {
			e.s[r*n] += e.residual[r] / e.scale[0].Mean()
		}
	}
}

// setMean gives column k another mean, its covariance left as it is.
func (e *engine) setMean(k int, mean []float64) {
	e.q[k] = e.q[k].WithMean(mean)
	f, n := utilities(e.q[k]), e.columns()
	for r := range e.forms.Len() {
		e.a[r*n+k] = e.forms.Dot(r, f)
	}
}

// evaluate finds what is expected of all votes, and returns the sum.
func (e *engine) evaluate() float64 {
	part := make([]float64, e.Voters())
	num.Parallel(len(part), voterGrain, func(lo, hi int) {
		v := e.newVoter()
		for u := lo; u < hi; u++ {
			v.fit(e.dim(u))
			part[u] = e.expect(u, v)
		}
	})
	return total(part)
}

// expect does so for one voter.
func (e *engine) expect(u int, v *voter) (sum float64) {
	w, cov := e.weights(u)
	for p := e.start[u]; p < e.start[u+1]; p++ {
		mean, variance, _ := e.marginal(p, w, cov, v.sa)
		e.g[p], e.d1[p], e.d2[p] = e.expectVote(u, p, mean, variance)
		sum += e.count[p] * e.g[p]
	}
	return sum
}

// expected is what evaluate found last.
func (e *engine) expected() (sum float64) {
	for p, g := range e.g {
		sum += e.count[p] * g
	}
	return sum
}

// bound is the lower bound of the log evidence, with the votes as last
// evaluated; see the package documentation.
func (e *engine) bound() float64 {
	sum := e.expected() - e.voterDivergence() - e.classes.divergence()
	for k := range e.columns() {
		sum -= e.divergence(k)
	}
	if e.own {
		sum -= e.ownScale.KL(e.ownPrior)
	}
	if e.leaning != nil {
		sum -= e.leaning.divergence()
	}
	return sum
}

// voterDivergence is what the bound loses to voters: to the part of z that is not
// Gaussian, and to the divergence of weights and tastes from the prior.
func (e *engine) voterDivergence() float64 {
	part := make([]float64, e.Voters())
	num.Parallel(len(part), voterGrain, func(lo, hi int) {
		v := e.newVoter()
		for u := lo; u < hi; u++ {
			v.fit(e.dim(u))
			w, cov := e.weights(u)
			e.priorPrecisions(u, v.own)
			part[u] = -e.logDet[u] - float64(len(w))
			if e.own {
				part[u] -= float64(len(w)-e.c) * e.ownScale.MeanLog()
			}
			for i, x := range w {
				part[u] += v.own[i] * (x*x + cov[i*len(w)+i])
			}
			e.expectWeights(u, v.lead)
			for c, x := range v.lead {
				part[u] += x * (x - 2*w[c])
			}
			if e.leaning != nil {
				part[u] += float64(e.c) * e.leaning.slack[u]
			}
		}
	})
	return 0.5 * total(part)
}

// priorPrecisions sets the precisions of a voter's dimensions before the votes. Under the bound the
// uncertainty of the factors is among them: what it costs acts like votes of its own. EP
// has factors at their means.
func (e *engine) priorPrecisions(u int, own []float64) {
	for i := range own {
		own[i] = 1
		if i >= e.c {
			own[i] = e.ownScale.Mean()
		}
	}
	if e.propagated {
		return
	}
	k := e.columns()
	for p := e.start[u]; p < e.start[u+1]; p++ {
		s, bend := e.s[int(e.row[p])*k:], e.count[p]*e.bends(u, p)
		for c := range e.c {
			own[c] += bend * s[c+1]
		}
	}
}

// expectWeights sets what is expected of voter u's weights before the votes.
func (e *engine) expectWeights(u int, dst []float64) {
	if e.leaning == nil {
		clear(dst)
		return
	}
	e.leaning.towards(dst, u)
}

// divergence of q(e_k)q(s_k) from the prior: CROWD (35), corrected.
func (e *engine) divergence(k int) float64 {
	if k == 0 && e.common != nil {
		return e.common.divergence()
	}
	q, s := e.q[k], e.scale[k]
	d := float64(len(q.Mean))
	return 0.5*(s.Mean()*(num.Dot(q.Mean, q.Mean)+e.trace[k])-d+q.LogDet()-d*s.MeanLog()) + s.KL(e.scalePrior[k])
}

// total adds up in a fixed order.
func total(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// resetVoter sets a voter to what is known before any vote.
func (e *engine) resetVoter(u int) {
	w, cov := e.weights(u)
	clear(w)
	e.expectWeights(u, w[:e.c])
	clear(cov)
	e.logDet[u] = 0
	for i := range w {
		cov[i*len(w)+i] = 1
		if i >= e.c {
			cov[i*len(w)+i] = 1 / e.ownScale.Mean()
			e.logDet[u] -= math.Log(e.ownScale.Mean())
		}
	}
}

// updateOwn sets the posterior of the scale of voters' own tastes to the best.
func (e *engine) updateOwn() {
	if !e.own {
		return
	}
	var sum float64
	for u := range e.Voters() {
		w, cov := e.weights(u)
		for i := e.c; i < len(w); i++ {
			sum += w[i]*w[i] + cov[i*len(w)+i]
		}
	}
	e.ownScale = infer.Gamma{Shape: e.ownPrior.Shape + 0.5*float64(len(e.ownItem)), Rate: e.ownPrior.Rate + 0.5*sum}
}
