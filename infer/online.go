package infer

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"palate/gp"
	"palate/internal/num"
	"palate/likelihood"
)

// Online takes observations one at a time, each in O(n²), and keeps their
// sites. Right after Add the posterior is that of assumed-density filtering,
// which depends on the order; Revisit takes it to where Run would end.
type Online struct {
	// Revisits is how many earlier sites Add visits again, in turn, so that the
	// posterior stays near where Run would end at a cost that does not grow with
	// the observations.
	Revisits int

	e     *engine
	turn  int // the site to visit next
	mu    sync.Mutex
	state *gp.State // changes are held back until State is asked for
}

// NewOnline starts at the prior with inverse scale s. A nil rule is EP.
func NewOnline(p *gp.Prior, s float64, rule Rule) (*Online, error) {
	if p.Sparse() {
		return nil, fmt.Errorf("infer: online: needs a prior with a weight an item, not inducing points")
	}
	e, err := newEngine(&Problem{Prior: p, Rows: &gp.Rows{}, Scale: s}, Settings{Rule: rule})
	if err != nil {
		return nil, err
	}
	return &Online{e: e, state: gp.NewState(p, e.scale)}, nil
}

// ResumeOnline starts at the posterior q of problem p with the given sites, as
// Run left them.
func ResumeOnline(p *Problem, q *gp.Posterior, sites []gp.Site, rule Rule) (*Online, error) {
	if p.Prior.Sparse() {
		return nil, fmt.Errorf("infer: online: needs a prior with a weight an item, not inducing points")
	}
	// Rows come and go: what p holds is not to be touched.
	all := num.Indices(p.Rows.Len())
	own := *p
	own.Scale, own.Rows, own.Likelihood, own.Count = q.Scale, p.Rows.Select(all), slices.Clone(p.Likelihood), slices.Clone(p.Count)
	e, err := newEngine(&own, Settings{Rule: rule, Start: sites})
	if err != nil {
		return nil, err
	}
	e.prior = e.Prior.FormVariances(e.Rows)
	return &Online{e: e, state: q.State()}, nil
}

// Add observes the form with the given coordinates and coefficients once.
func (o *Online) Add(index []int, coef []float64, l likelihood.Scalar) error {
	e := o.e
	if err := e.Rule.Check(l); err != nil {
		return err
	}
	r := e.Rows.Len()
	e.Rows.Append(index, coef)
	e.Likelihood = append(e.Likelihood, l)
	e.sites = append(e.sites, gp.Site{})
	if e.Count != nil {
		e.Count = append(e.Count, 1)
	}
	e.prior = append(e.prior, e.Prior.FormVariance(e.Rows, r))
	e.visit(o.state, e.Rows, r)
	for range min(o.Revisits, r) {
		e.visit(o.state, e.Rows, o.turn%r)
		o.turn = (o.turn + 1) % r
	}
	return nil
}

// Vote observes that item win beat item lose.
func (o *Online) Vote(win, lose int, l likelihood.Scalar) error {
	return o.Add([]int{win, lose}, []float64{1, -1}, l)
}

// Retract takes one observation of a vote back, as Vote took it, and reports
// whether there was one. It costs O(n² + rows).
func (o *Online) Retract(win, lose int, l likelihood.Scalar) bool {
	e := o.e
	for r := e.Rows.Len() - 1; r >= 0; r-- {
		index, coef := e.Rows.Row(r)
		if len(index) != 2 || index[0] != win || index[1] != lose || coef[0] != 1 || coef[1] != -1 || e.Likelihood[r] != l || e.count(r) < 1 {
			continue
		}
		mean, v := o.state.Form(e.Rows, r)
		o.state.Move(gp.Site{Tau: -e.sites[r].Tau, Nu: -e.sites[r].Nu}, mean, v)
		if e.Count == nil {
			e.Count = slices.Repeat([]float64{1}, e.Rows.Len())
		}
		if e.Count[r]--; e.Count[r] == 0 {
			e.sites[r] = gp.Site{} // the row stays, and says nothing
		}
		return true
	}
	return false
}

// State returns mean and covariance as they are now, not to be modified. Votes
// that come in a row without it cost less: their changes are applied together.
func (o *Online) State() *gp.State {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.state.Settle()
	return o.state
}

// Frozen returns the state as it is now, for reading while o goes on; nothing
// else can be done with it.
func (o *Online) Frozen() *Online { return &Online{state: o.State().Clone()} }

// Revisit sweeps over all sites until they settle within the tolerance, at
// most so many times, and returns how that ended.
func (o *Online) Revisit(ctx context.Context, tolerance float64, sweeps int) Status {
	for range sweeps {
		change, err := o.e.sweepState(ctx, o.state, o.e.Rows)
		if err != nil {
			return Interrupted
		}
		o.e.result.Stats.Sweeps++
		if change < tolerance {
			return Converged
		}
	}
	return SweepLimit
}

// Result returns the posterior rebuilt from the sites, with the objective.
func (o *Online) Result() (*Result, error) {
	o.e.result.Sites = o.e.sites
	if err := o.e.rebuild(); err != nil {
		return nil, err
	}
	return o.e.result, nil
}
