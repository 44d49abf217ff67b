package model

import (
	"context"
	"fmt"
	"math"
	"time"

	"palate"
	"palate/infer"
	"palate/likelihood"
	"palate/population"
)

func (m *Population) fitLowRank(ctx context.Context, people *population.People, aside []palate.Tally, x []float64, f int) error {
	o := &m.options
	work := &population.Options{Rank: o.Rank, Penalty: o.Penalty, Seed: o.Seed, Aside: aside, Progress: m.tell("learning the population")}
	var k *keeper
	if o.Checkpoint != "" {
		k = &keeper{ctx: ctx, path: o.Checkpoint, every: o.CheckpointEvery, digest: m.digest, last: time.Now()}
		if k.every == 0 {
			k.every = 2 * time.Minute
		}
		var err error
		if work.Resume, err = k.resume(); err != nil {
			return err
		}
		work.Checkpoint = k.keep
	}
	l, e, err := population.Learn(ctx, people, m.items, x, f, work)
	if err != nil {
		return err
	}
	if k != nil {
		k.done()
	}
	m.prior, m.engine, m.threshold = l.LowRank, e, l.Threshold
	m.win = likelihood.Probit{Offset: l.Threshold}
	m.spread = l.Scale * l.Spread
	m.fit = Fit{Objective: l.Evidence, Kind: infer.LogEvidence.String(), Scale: 1 / l.Scale, Threshold: l.Threshold}
	if !math.IsNaN(l.HeldOut) { // some votes were put aside
		m.fit.HeldOut = l.HeldOut
	}
	m.setStatus(l.Converged && l.Stats.Unconverged == 0, l.Evals, l.Stats)
	return nil
}

// setStatus says how learning ended, after so many rounds.
func (m *Population) setStatus(converged bool, rounds int, s infer.Stats) {
	m.fit.Stats = s
	m.fit.Stats.Sweeps = rounds
	if !converged {
		m.fit.Status = infer.SweepLimit
	}
}

func (m *Population) fitFull(ctx context.Context, people *population.People) error {
	for _, k := range people.Kinds() {
		if k.Tie {
			return fmt.Errorf("model: a full covariance knows no ties: use the low-rank one, or leave them out")
		}
	}
	f, err := population.LearnFull(ctx, people, m.items, population.Wishart{}, &population.Options{Progress: m.tell("learning the population")})
	if err != nil {
		return err
	}
	m.prior, m.engine, m.win = f.Full, f.Engine, likelihood.Probit{}
	m.spread = 0.3 * 100
	m.fit = Fit{Objective: f.Evidence, Kind: infer.LogEvidence.String(), Scale: 1}
	m.setStatus(f.Converged, len(f.Trace), f.Stats)
	return nil
}

func (m *Population) tell(stage string) func(population.Progress) {
	if m.options.Progress == nil {
		return nil
	}
	return func(p population.Progress) {
		m.options.Progress(Progress{Stage: stage, Round: p.Evaluations, Objective: p.Objective, Evidence: p.Evidence, HeldOut: p.HeldOut})
	}
}
