package model

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"palate"
	"palate/infer"
	"palate/population"
)

func (m *Population) fitLowRank(ctx context.Context, people *population.People, heldOut []palate.Tally, x []float64, f int) error {
	o := &m.options
	penalty := o.Penalty
	if penalty == 0 {
		penalty = population.Penalty * o.redundancy()
	}
	work := &population.Options{Rank: o.Rank, Penalty: penalty, Seed: o.Seed, HeldOut: heldOut, Progress: m.tell()}
	var k *keeper
	if o.Checkpoint != "" {
		k = &keeper{ctx: ctx, path: o.Checkpoint, every: o.CheckpointEvery, digest: m.digest.text(), last: time.Now()}
		k.every = cmp.Or(k.every, 2*time.Minute)
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
	m.learnt(l, e)
	return nil
}

// blends reports whether the population is learnt several ways at once: where nothing of
// its form is asked for, items and voters are known by votes alone, and it takes seconds.
// A fit that has a checkpoint is of one form, and goes on.
func (m *Population) blends(people *population.People, userFeatures int) bool {
	o := &m.options
	if o.Checkpoint != "" {
		if _, err := os.Stat(o.Checkpoint); err == nil {
			return false
		}
	}
	return o.Rank == 0 && o.Penalty == 0 && (m.items.Kernel == nil || m.settles()) && userFeatures == 0 && population.Blends(people)
}

// settles reports whether what features tell of items is settled by the votes.
func (m *Population) settles() bool {
	o := &m.options
	return m.features != nil && o.Kernel == nil && o.Features == nil && o.Lengths == MedianLengths && o.Covariance == LowRank && len(m.ids) <= settledItems
}

// itemsKnown is what features may tell of items: to a fit of several forms, which takes the best,
// else the best already.
func (m *Population) itemsKnown(ctx context.Context, f *palate.Features, people *population.People, blends bool, rng *rand.Rand) ([]*population.Items, error) {
	if !m.settles() {
		return []*population.Items{m.items}, nil
	}
	k, err := settledKernel(ctx, m.Base, f, pooled(people), m.options.redundancy(), m.options.Seed)
	if err != nil {
		return nil, err
	}
	known := knownItems(m.features, k, blends, rng)
	if !blends {
		m.items, err = population.BestKnown(ctx, people, known, m.options.redundancy(), nil)
	}
	return known, err
}

func (m *Population) fitFamily(ctx context.Context, people *population.People, known []*population.Items, heldOut []palate.Tally) error {
	f, err := population.LearnFamily(ctx, people, known, m.options.redundancy(), &population.Options{Progress: m.tell()})
	if err != nil {
		return err
	}
	m.family, m.items = f, f.Items()
	m.fit = Fit{Objective: f.Evidence, Kind: infer.LogEvidence.String(), Scale: 1, Threshold: f.Threshold()}
	m.setStatus(f.Converged && f.Stats.Unconverged == 0, f.Evals, f.Stats)
	if len(heldOut) > 0 {
		if m.fit.HeldOut, err = f.Loss(ctx, heldOut); err != nil {
			return err
		}
		if tell := m.options.Progress; tell != nil {
			tell(Progress{Stage: "learning the population", Round: f.Evals, Objective: f.Evidence, Evidence: f.Evidence, HeldOut: m.fit.HeldOut})
		}
	}
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
	f, err := population.LearnFull(ctx, people, m.items, population.Wishart{}, &population.Options{Progress: m.tell()})
	if err != nil {
		return err
	}
	m.family = population.Alone(f.Full, f.Engine, 0.3*100, 0)
	m.fit = Fit{Objective: f.Evidence, Kind: infer.LogEvidence.String(), Scale: 1}
	m.setStatus(f.Converged, len(f.Trace), f.Stats)
	return nil
}

func (m *Population) tell() func(population.Progress) {
	if m.options.Progress == nil {
		return nil
	}
	return func(p population.Progress) {
		m.options.Progress(Progress{Stage: "learning the population", Round: p.Evaluations, Objective: p.Objective, Evidence: p.Evidence, HeldOut: p.HeldOut})
	}
}
