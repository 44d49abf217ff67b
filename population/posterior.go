package population

import (
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/likelihood"
)

// Posterior is one person's utilities given that person's votes.
type Posterior struct {
	prior  Prior
	person int // −1: nobody in particular
	items  []int32
	pull   []float64 // s: E f = m + S[:,it]·s
	info   []float64 // W, lower: Cov f = S − S[:,it]·W·S[it,:]
	lap    []float64 // Λ
	cov    []float64 // C, of the person's items

	votes      votes
	tau, nu    []float64
	likelihood []likelihood.Scalar // by kind
	side       []float64           // by kind, see Observation
	lean       float64             // what the left side is worth to the person
	// LogEvidence of the person's votes.
	LogEvidence float64
}

// Posterior returns the posterior of person u at the sites that the engine
// holds.
func (e *Engine) Posterior(prior Prior, u int) (*Posterior, error) {
	p := e.People
	w := &Person{}
	items := p.Items(u)
	lo, hi := p.pairStart[u], p.pairStart[u+1]
	w.resize(len(items), hi-lo)
	w.lean = e.lean(u)
	prior.Fill(w, u, items)
	held := e.method
	held.tolerance = math.Inf(1) // look, do not move
	return finished(w, prior, u, p, u, &held, e.Tau[lo:hi], e.Nu[lo:hi])
}

// FoldIn infers a new person from votes, and answers about several items, in the population
// as it is: one E-step, O(m³) in the number of the person's items. features are the
// person's, nil without.
func FoldIn(prior Prior, tallies []palate.Tally, features []float64, s Settings, answers ...palate.Answer) (*Posterior, error) {
	var users []int
	own, said := append([]palate.Tally(nil), tallies...), append([]palate.Answer(nil), answers...)
	for k := range own {
		users, own[k].User = append(users, own[k].User), 0
	}
	for k := range said {
		users, said[k].User = append(users, said[k].User), 0
	}
	if len(slices.Compact(users)) > 1 {
		return nil, fmt.Errorf("population: votes of more than one person")
	}
	p, err := NewPeople(prior.NumItems(), own, said...)
	if err != nil {
		return nil, err
	}
	m, err := newMethod(p.kinds, s)
	if err != nil {
		return nil, err
	}
	if lr, ok := prior.(*LowRank); ok && lr.F > 0 {
		if features == nil {
			features = make([]float64, lr.F)
		}
		if len(features) != lr.F {
			return nil, fmt.Errorf("population: %d features of a person, want %d", len(features), lr.F)
		}
		one := *lr
		one.Features = features
		prior = &one
	}
	w := &Person{}
	if len(users) == 0 {
		return &Posterior{prior: prior, person: 0}, nil
	}
	w.resize(len(p.item), p.NumPairs())
	w.lean = s.Lean
	prior.Fill(w, 0, p.item)
	return finished(w, prior, 0, p, 0, &m, make([]float64, p.NumPairs()), make([]float64, p.NumPairs()))
}

func finished(w *Person, prior Prior, person int, p *People, u int, m *method, tau, nu []float64) (*Posterior, error) {
	v := p.votes(u)
	own := *m
	own.inItems = true
	o := w.run(&own, v, tau, nu)
	if o.failed {
		return nil, fmt.Errorf("population: covariance of %d items not positive definite", w.m)
	}
	return &Posterior{
		prior: prior, person: person, items: p.Items(u), pull: w.pull, info: w.info, lap: w.lap, cov: w.post,
		votes: v, tau: tau, nu: nu, likelihood: m.likelihood, side: m.side, lean: w.lean,
		LogEvidence: o.logZ,
	}, nil
}

// NewVoter is a person nothing is known of.
func NewVoter(prior Prior) *Posterior { return &Posterior{prior: prior, person: -1} }

// Items returns the items the person voted on.
func (q *Posterior) Items() []int32 { return q.items }

// Difference returns mean and variance of the utility of item i less that of
// item j.
func (q *Posterior) Difference(i, j int) (mean, variance float64) {
	p := q.prior
	mean = p.Mean(q.person, i) - p.Mean(q.person, j)
	variance = p.Cov(i, i) + p.Cov(j, j) - 2*p.Cov(i, j)
	m := len(q.items)
	c := make([]float64, m)
	for k, item := range q.items {
		c[k] = p.Cov(i, int(item)) - p.Cov(j, int(item))
	}
	return q.shrink(c, mean, variance)
}

// Utility returns mean and variance of the utility of an item.
func (q *Posterior) Utility(i int) (mean, variance float64) {
	p := q.prior
	c := make([]float64, len(q.items))
	for k, item := range q.items {
		c[k] = p.Cov(i, int(item))
	}
	return q.shrink(c, p.Mean(q.person, i), p.Cov(i, i))
}

// mean returns the mean of Utility alone, in O(m).
func (q *Posterior) mean(i int) float64 {
	mean := q.prior.Mean(q.person, i)
	for k, item := range q.items {
		mean += q.prior.Cov(i, int(item)) * q.pull[k]
	}
	return mean
}

// meansTo sets dst to the means of all items. Where the prior is of low rank what a person's
// votes pull goes through its factors, in O((n + m)D) for m items that the person judged.
func (q *Posterior) meansTo(dst []float64) {
	p, ok := q.prior.(*LowRank)
	if !ok || p.Items.K != nil {
		for i := range dst {
			dst[i] = q.mean(i)
		}
		return
	}
	pulled := make([]float64, p.D)
	for k, item := range q.items {
		num.Axpy(q.pull[k], p.A[int(item)*p.D:(int(item)+1)*p.D], pulled)
	}
	for i := range dst {
		dst[i] = p.Mean(q.person, i) + p.Scale*num.Dot(p.A[i*p.D:(i+1)*p.D], pulled)
	}
	for k, item := range q.items {
		dst[item] += p.Scale * (1 - p.Share + p.extra(int(item))) * q.pull[k]
	}
}

// shrink conditions a form whose covariances with the person's items are c.
func (q *Posterior) shrink(c []float64, mean, variance float64) (float64, float64) {
	return conditioned(c, q.pull, q.info, mean, variance)
}

// conditioned is mean and variance of a form given a person's votes, which it
// has covariances c with, by their pull s and information W (lower).
func conditioned(c, pull, info []float64, mean, variance float64) (float64, float64) {
	m := len(c)
	mean += num.Dot(c, pull)
	full := variance
	for i := range m {
		row := info[i*m : i*m+i+1]
		var s float64
		for j, x := range row[:i] {
			s += x * c[j]
		}
		variance -= c[i] * (2*s + row[i]*c[i])
	}
	return mean, max(variance, 1e-12*full)
}

// Prefer returns the probability of a win of i over j given that there is no
// tie: Φ(mean/√(1+variance)) for probits.
func Prefer(win likelihood.Scalar, mean, variance float64) float64 {
	pr, ok := win.(likelihood.Probit)
	if !ok {
		return math.Exp(likelihood.Tilt(win, mean, variance).LogZ)
	}
	noise := pr.Width()
	r := math.Sqrt(noise*noise + variance)
	p := num.Phi((mean - pr.Offset) / r)
	if pr.Offset != 0 {
		p /= p + num.Phi((-mean-pr.Offset)/r)
	}
	return p
}

// Cov returns the covariance of the utilities of two items.
func (q *Posterior) Cov(i, j int) float64 {
	var c [1]float64
	q.CovTo(c[:], i, []int{j})
	return c[0]
}

// CovTo sets dst to the covariances of the utility of an item with those of
// others, in O(m) each.
func (q *Posterior) CovTo(dst []float64, item int, others []int) {
	p, m := q.prior, len(q.items)
	a, t := make([]float64, m), make([]float64, m)
	for k, o := range q.items {
		a[k] = p.Cov(item, int(o))
	}
	if m > 0 {
		num.SymVec(t, q.info, a, m)
	}
	for n, j := range others {
		c := p.Cov(item, j)
		for k, o := range q.items {
			c -= t[k] * p.Cov(j, int(o))
		}
		dst[n] = c
	}
}
