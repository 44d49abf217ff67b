package infer

import (
	"cmp"
	"math"
	"slices"

	"palate/gp"
	"palate/internal/num"
	"palate/likelihood"
)

// engine is the state that schedules share.
type engine struct {
	*Problem
	Settings
	residuals []float64 // of the rows, at scale 1; nil without
	prior     []float64 // variances of the forms under the prior, at scale 1
	scale     float64   // the inverse scale s, or its expectation
	sites     []gp.Site
	effects   *effects      // nil without
	near      *gp.Posterior // the last one, to start the next from
	rough     float64       // how exact its solves were
	result    *Result
}

func newEngine(p *Problem, s Settings) (*engine, error) {
	if s.Rule == nil {
		s.Rule = EP{}
	}
	s.Tolerance = cmp.Or(s.Tolerance, 1e-8)
	s.MaxSweeps = cmp.Or(s.MaxSweeps, 500)
	if err := p.check(s.Rule); err != nil {
		return nil, err
	}
	e := &engine{Problem: p, Settings: s, scale: p.scale()}
	e.sites = make([]gp.Site, p.Rows.Len())
	e.effects = newEffects(p)
	copy(e.sites, s.Start)
	e.result = &Result{Kind: s.Rule.Kind(), Sites: e.sites, problem: p}
	e.result.Stats.Jitter = p.Prior.Jitter()
	return e, nil
}

// prepare computes what full sweeps need once: residuals and prior variances.
func (e *engine) prepare() {
	e.residuals = e.Prior.Residuals(e.Rows)
	e.prior = e.Prior.FormVariances(e.Rows)
	for r, k := range e.residuals {
		e.prior[r] += k
	}
}

// form is what the rule sees of row r, given the marginal of the part that the
// weights explain. It is not ok when the cavity is improper.
func (e *engine) form(r int, mean, v float64) (f Form, ok bool) {
	f = Form{Mean: mean, Var: v, Prior: e.prior[r] / e.priorScale()}
	if e.residuals != nil {
		f.Residual = e.residuals[r] / e.scale
	}
	ok = true
	if e.Rule.Kind() == LogEvidence {
		f.Mean, f.Var, ok = e.sites[r].Cavity(mean, v)
	}
	return f, ok
}

// updates asks the rule about every row under the posterior q. An improper cavity
// keeps the old site.
func (e *engine) updates(q *gp.Posterior) (l siteUpdates) {
	n := e.Rows.Len()
	l.updates, l.forms = make([]Update, n), make([]Form, n)
	mean, variance := e.marginals(q)
	l.variance = variance
	const grain = 64
	type block struct {
		skipped                      int
		change, objective, fit, pull float64
	}
	blocks := make([]block, (n+grain-1)/grain)
	num.Parallel(n, grain, func(lo, hi int) {
		b := &blocks[lo/grain]
		for r := lo; r < hi; r++ {
			f, ok := e.form(r, mean[r], variance[r])
			old, c := e.sites[r], e.count(r)
			if !ok {
				l.updates[r] = Update{Site: old}
				if g, fixed := e.Likelihood[r].(likelihood.Gaussian); fixed && g.Y == 0 && old.Tau > 0 { // all that is known of the form
					b.objective -= c * math.Log(g.Sd*math.Sqrt(2*math.Pi))
				} else {
					b.skipped++
				}
				continue
			}
			u := e.Rule.Update(e.Likelihood[r], f)
			l.updates[r], l.forms[r] = u, f
			b.change = math.Max(b.change, c*old.Distance(u.Site, mean[r], variance[r]))
			b.objective += c * u.Term
			if e.Rule.Kind() == LogEvidence {
				b.objective -= c * old.LogOverlap(f.Mean, f.Var)
			}
			b.fit += c * old.Tau * variance[r]
			b.pull += c * old.Nu * mean[r]
		}
	})
	for _, b := range blocks { // in fixed order
		l.skipped += b.skipped
		l.change = math.Max(l.change, b.change)
		l.terms += b.objective
		l.fit += b.fit
		l.pull += b.pull
	}
	return l
}

// marginals are mean and variance of every row's form, with what its group adds to it.
func (e *engine) marginals(q *gp.Posterior) (mean, variance []float64) {
	if e.effects == nil {
		return q.Forms(e.Rows)
	}
	mean, variance = make([]float64, e.Rows.Len()), make([]float64, e.Rows.Len())
	e.effects.forms(q, mean, variance)
	return mean, variance
}

// siteUpdates is what one look at all rows finds.
type siteUpdates struct {
	updates  []Update
	forms    []Form    // as the rule saw them
	variance []float64 // of the forms
	skipped  int
	change   float64
	terms    float64 // the likelihood's part of the objective
	fit      float64 // Σ τ_p v_p = d − s·tr C, with own parts those of both
	pull     float64 // Σ ν_p m_p
}

// posterior combines the current sites with the prior.
func (e *engine) posterior() (*gp.Posterior, error) {
	e.rough = e.exactness(e.result.Stats.Change)
	return e.posteriorTo(e.rough)
}

func (e *engine) posteriorTo(tolerance float64) (*gp.Posterior, error) {
	if e.effects != nil {
		return e.effects.posterior(e.Problem, e.scale, e.sites)
	}
	q, err := e.Prior.Posterior(e.scale, e.Rows, e.sites, e.Count, gp.Ways{Inner: e.inner(e.Rule.Kind()), Near: e.near, Tolerance: tolerance})
	if err == nil && e.Prior.Owned() {
		e.near = q
	}
	return q, err
}

// exactness is that of solves: well below what a sweep changes.
func (e *engine) exactness(change float64) float64 {
	return min(max(1e-2*change, 1e-2*e.Tolerance, 1e-10), 1e-4)
}

// PosteriorOf returns the posterior of p that the given sites leave, as Run found
// them under an objective of the given kind.
func PosteriorOf(p *Problem, sites []gp.Site, kind ObjectiveKind) (*gp.Posterior, error) {
	if e := newEffects(p); e != nil {
		return e.posterior(p, p.scale(), sites)
	}
	if independent(p.Prior) && p.hasFurtherNodes() {
		with, added := p.latent()
		q, err := PosteriorOf(with, append(slices.Clip(sites), p.addedSites(added)...), kind)
		if err != nil {
			return nil, err
		}
		return q.First(p.Prior), nil
	}
	return p.Prior.Posterior(p.scale(), p.Rows, sites, p.Count, gp.Ways{Inner: p.inner(kind)})
}

// inner is how variances of own parts are found: what stands for a bound is to be
// one, and cavities need more of the pair that they are taken from; all of it where
// nothing else is known of the items.
func (p *Problem) inner(k ObjectiveKind) gp.Inner {
	switch {
	case k == LowerBound:
		return gp.Apart
	case p.Prior.Dim() == 0:
		return gp.Whole
	}
	return gp.Bethe
}

// objective adds the prior's part to what a look found.
//
// EP: the log of the Gaussian integral over prior and sites,
// ½d log s − ½log|sI+H| + ½hᵀm. Laplace: ½d log s − ½log|sI+H| − ½s|m|².
// Bound: minus the divergence of q(e) from the prior, ½(s|m|² + s·tr C − d +
// log|sI+H| − d·E[log s]), less that of q(s) (CROWD (53), corrected).
func (e *engine) objective(q *gp.Posterior, l siteUpdates) float64 {
	d, mm := float64(e.Prior.Freedom()), q.Energy()
	logS := math.Log(e.scale)
	f := l.terms - 0.5*q.LogDet()
	switch e.Rule.Kind() {
	case LogEvidence:
		f += 0.5*d*logS + 0.5*q.Pull() + 0.5*float64(e.Prior.Flat())*math.Log(2*math.Pi) + e.Prior.LinkNorm(e.scale)
		if e.effects != nil {
			f += 0.5*(l.pull-q.Pull()) - 0.5*e.effects.logDet()
		}
	case LaplaceEvidence:
		f += 0.5*d*logS - 0.5*e.scale*mm
	case LowerBound:
		if e.ScalePrior != nil {
			qs := e.scalePosterior()
			logS = qs.MeanLog()
			f -= qs.KL(*e.ScalePrior)
		}
		f += 0.5*d*logS - 0.5*e.scale*mm + 0.5*l.fit
	}
	return f
}

// height is what sweeps climb: the objective, or for Laplace, whose objective
// takes the curvature into account only at the end, the log density.
func (e *engine) height(q *gp.Posterior, l siteUpdates) float64 {
	if e.Rule.Kind() == LaplaceEvidence {
		return e.objective(q, l) + 0.5*q.LogDet()
	}
	return e.objective(q, l)
}

// scalePosterior is q(s), kept through its mean: the shape never changes.
func (e *engine) scalePosterior() Gamma {
	shape := e.ScalePrior.Shape + 0.5*float64(e.Prior.Freedom())
	return Gamma{Shape: shape, Rate: shape / e.scale}
}

// scaleTarget is E[s] under the best q(s) for the current q(e): CROWD (15),
// with tr(K⁻¹(S + ffᵀ)) = tr C + |m|² in weight space.
func (e *engine) scaleTarget(q *gp.Posterior, l siteUpdates) float64 {
	if e.ScalePrior == nil {
		return e.scale
	}
	d, mm := float64(e.Prior.Freedom()), q.Energy()
	trace := (d - l.fit) / e.scale
	return (e.ScalePrior.Shape + 0.5*d) / (e.ScalePrior.Rate + 0.5*(mm+trace))
}

// finish records the posterior and what a last look at it found.
func (e *engine) finish(q *gp.Posterior, l siteUpdates) {
	if e.Prior.Owned() && e.rough > e.exactness(0) { // on the way that was enough
		e.rough = e.exactness(0)
		if exact, err := e.posteriorTo(e.rough); err == nil {
			q, l = exact, e.updates(exact)
		}
	}
	e.result.Posterior = q
	e.result.updates, e.result.forms = l.updates, l.forms
	e.result.rule, e.result.effects = e.Rule, e.effects
	e.result.Objective = e.objective(q, l)
	e.result.Stats.Skipped += l.skipped
	if e.ScalePrior != nil {
		e.result.Scale = e.scalePosterior()
	}
}

func (e *engine) progress() {
	if e.Progress != nil {
		e.Progress(Progress{Sweep: e.result.Stats.Sweeps, Change: e.result.Stats.Change})
	}
}
