package infer

import (
	"context"
	"fmt"
	"math"

	"palate/gp"
)

// Sequential visits the sites one after the other, each by a rank-one step in
// O(n²), until a whole sweep changes nothing. It is EP as first published, and
// needs no damping.
type Sequential struct{}

func (Sequential) run(ctx context.Context, e *engine) error {
	if e.ScalePrior != nil {
		return fmt.Errorf("infer: Sequential keeps the scale fixed; use Batch or Stochastic to learn it")
	}
	e.prepare()
	state := gp.NewState(e.Prior, e.scale)
	rows := gp.StateRows(e.Prior, e.Rows)
	for r, s := range e.sites {
		if s != (gp.Site{}) { // a warm start
			m, v := state.Form(rows, r)
			state.Move(gp.Site{Tau: e.count(r) * s.Tau, Nu: e.count(r) * s.Nu}, m, v)
		}
	}
	st := &e.result.Stats
	st.Step = 1
	st.Change = math.Inf(1)
	for !e.stop() {
		var err error
		if st.Change, err = e.sweepState(ctx, state, rows); err != nil {
			return err
		}
		st.Sweeps++
		e.progress()
	}
	return e.rebuild()
}

// sweepState visits every row once, unless ctx ends, and returns the largest change.
func (e *engine) sweepState(ctx context.Context, state *gp.State, rows *gp.Rows) (change float64, err error) {
	for r := range e.sites {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		change = math.Max(change, e.visit(state, rows, r))
	}
	state.Settle()
	return change, nil
}

// visit renews the site of row r and returns how far it moved. The copies of a
// row observed n times move together, which is a parallel step among them, so
// it is damped.
func (e *engine) visit(state *gp.State, rows *gp.Rows, r int) float64 {
	mean, v := state.Form(rows, r)
	f, ok := e.form(r, mean, v)
	if !ok {
		e.result.Stats.Skipped++
		return 0
	}
	u := e.Rule.Update(e.Likelihood[r], f)
	c, old := e.count(r), e.sites[r]
	step := 1.0
	if c > 1 {
		step = 0.7
	}
	e.sites[r] = old.Blend(u.Site, step)
	move := gp.Site{Tau: c * (e.sites[r].Tau - old.Tau), Nu: c * (e.sites[r].Nu - old.Nu)}
	state.Move(move, mean, v)
	return c * old.Distance(u.Site, mean, v)
}

// rebuild makes the posterior anew from the sites, free of drift.
func (e *engine) rebuild() error {
	q, err := e.posterior()
	if err != nil {
		return err
	}
	e.finish(q, e.updates(q))
	return nil
}
