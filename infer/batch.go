package infer

import (
	"context"
	"math"

	"palate/gp"
	"palate/internal/num"
)

// Batch updates all sites at once. Undamped parallel EP cycles when votes are
// redundant, so EP takes damped steps, accelerated. A rule with a bound, or a
// mode, takes the longest step that does not lower it. EP of independent items with
// all of them their own (gp.White(n).Own()) goes along the graph of comparisons, see Graph.
type Batch struct{}

// A step uphill that is smaller than minStep changes nothing that matters. Damped steps are
// no smaller than leastDamped: with more, votes that all agree under a wide prior throw EP
// off for ever.
const (
	minStep     = 1.0 / 1024
	leastDamped = 0.02
)

func (Batch) run(ctx context.Context, e *engine) error {
	if e.onGraph() {
		return e.sweepGraph(ctx)
	}
	e.prepare()
	if e.Rule.Kind() == LogEvidence {
		return e.sweepDamped(ctx)
	}
	return e.sweepUphill(ctx)
}

// sweepDamped is for EP, whose objective is no guide along the way.
func (e *engine) sweepDamped(ctx context.Context) error {
	st := &e.result.Stats
	st.Step = 0.5
	var accel mixing
	last := math.Inf(1)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		q, err := e.posterior()
		if err != nil {
			return err
		}
		l := e.updates(q)
		st.Change = l.change
		if e.stop() {
			e.finish(q, l)
			return nil
		}
		if st.Change > 2*last { // thrown off: forget, and go more slowly
			accel.Reset()
			st.Step = max(0.7*st.Step, leastDamped)
		}
		last = st.Change
		st.Skipped += l.skipped
		if next, ok := accel.propose(e, l, st.Step); ok {
			copy(e.sites, next)
		} else {
			for r := range e.sites {
				e.sites[r] = e.sites[r].Blend(l.updates[r].Site, st.Step)
			}
		}
		st.Sweeps++
		e.progress()
	}
}

// mixing is num.Anderson over sites.
type mixing struct {
	num.Anderson
	tau, nu, wantTau, wantNu, unitTau, unitNu []float64
}

// propose returns the sites to try next. Moves are weighed as Site.Distance does.
func (a *mixing) propose(e *engine, l siteUpdates, step float64) (next []gp.Site, ok bool) {
	n := len(e.sites)
	if a.tau == nil {
		for _, x := range []*[]float64{&a.tau, &a.nu, &a.wantTau, &a.wantNu, &a.unitTau, &a.unitNu} {
			*x = make([]float64, n)
		}
	}
	for r, s := range e.sites {
		c, v, want := e.count(r), l.variance[r], l.updates[r].Site
		a.tau[r], a.nu[r] = s.Tau, s.Nu
		a.wantTau[r], a.wantNu[r] = want.Tau, want.Nu
		a.unitTau[r], a.unitNu[r] = c*v, c*math.Sqrt(v)
	}
	if !a.Propose(a.tau, a.nu, a.wantTau, a.wantNu, a.unitTau, a.unitNu, step) {
		return nil, false
	}
	next = make([]gp.Site, n)
	for r := range next {
		next[r] = gp.Site{Tau: a.tau[r], Nu: a.nu[r]}
	}
	return next, true
}

// stop sets the status when the run should end.
func (e *engine) stop() bool {
	st := e.result.Stats
	switch {
	case st.Change < e.Tolerance:
		e.result.Status = Converged
	case st.Sweeps >= e.MaxSweeps:
		e.result.Status = SweepLimit
	default:
		return false
	}
	return true
}

// sweepUphill moves sites and scale along the natural gradient: an accelerated
// step if that does not lower the objective, else a plain one, halved until it
// does not. Linearised has no objective of its own and is never held back.
func (e *engine) sweepUphill(ctx context.Context) error {
	_, free := e.Rule.(Linearised)
	st := &e.result.Stats
	st.Step = 1
	var accel mixing

	q, l, value, err := e.survey()
	if err != nil {
		return err
	}
	old := make([]gp.Site, len(e.sites))
	for {
		scale, target := e.scale, e.scaleTarget(q, l)
		st.Change = math.Max(l.change, math.Abs(target/scale-1))
		if e.stop() {
			e.finish(q, l)
			return nil
		}
		copy(old, e.sites)
		var next []gp.Site
		fast := false
		if e.Rule.Kind() == LowerBound { // Newton's steps to a mode are fast as they are
			next, fast = accel.propose(e, l, 1)
		}
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			step := st.Step
			if fast {
				copy(e.sites, next)
				step = 1
			} else {
				for r := range e.sites {
					e.sites[r] = old[r].Blend(l.updates[r].Site, step)
				}
			}
			e.scale = scale + step*(target-scale)
			nq, nl, nv, err := e.survey()
			if err != nil {
				return err
			}
			if free || nv >= value-1e-12*math.Abs(value) {
				q, l, value = nq, nl, nv
				break
			}
			switch {
			case fast:
				fast = false
				accel.Reset()
			case st.Step < minStep:
				copy(e.sites, old)
				e.scale = scale
				e.result.Status = Stalled
				e.finish(q, l)
				return nil
			default:
				st.Step /= 2
			}
		}
		if !fast {
			st.Step = min(1, 2*st.Step)
		}
		st.Sweeps++
		e.progress()
	}
}

// survey looks at all rows from the current sites and scale.
func (e *engine) survey() (*gp.Posterior, siteUpdates, float64, error) {
	q, err := e.posterior()
	if err != nil {
		return nil, siteUpdates{}, 0, err
	}
	l := e.updates(q)
	return q, l, e.height(q, l), nil
}
