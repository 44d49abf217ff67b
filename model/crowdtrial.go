package model

import (
	"context"
	"math"

	"palate"
	"palate/internal/trial"
)

// The trial that chooses a form.
const (
	trialHeld      = 500  // fifths of the votes are held out until there are so many
	trialLeast     = 100  // votes, below which nothing is tried
	trialMost      = 5000 // votes; of more, those of some voters
	trialItems     = 2000 // above which so few votes say nothing of most items
	trialErrors    = 1    // standard errors by which another form must be better
	trialTolerance = 1e-3 // of fits, which need not be the last word
)

// formTrial tries forms on votes held out.
type formTrial struct {
	*trial.Trial
	options  CrowdOptions
	progress func(Progress)
}

// chooseForm tries forms on votes held out and returns the best. Votes are predicted from
// fewer than there are, which is to the advantage of what is simple: wide tastes and
// rough utilities stay unless others are better by more than a standard error.
func chooseForm(ctx context.Context, d *palate.Dataset, o *CrowdOptions) (CrowdForm, error) {
	best, tastes, smoothness := o.settled(d)
	if !tastes && !smoothness {
		return best, nil
	}
	t := newFormTrial(d, o)
	if t.Held() == 0 {
		return best, nil
	}
	start := best
	flat := func(f CrowdForm) CrowdForm { f.Smoothness = Smooth; return f }
	if smoothness {
		if err := t.challenge(ctx, &best, flat(best)); err != nil {
			return best, err
		}
	}
	if tastes {
		var others []CrowdForm
		for _, x := range []Tastes{NarrowTastes, FactorTastes, OwnTastes, SameTastes} {
			others = append(others, CrowdForm{Tastes: x, Smoothness: best.Smoothness})
		}
		if err := t.challenge(ctx, &best, others...); err != nil {
			return best, err
		}
	}
	if smoothness && best.Smoothness == Rough && best.Tastes != start.Tastes {
		if err := t.challenge(ctx, &best, flat(best)); err != nil {
			return best, err
		}
	}
	best.Why = t.why(best, start)
	return best, nil
}

// newFormTrial holds votes out by answer. Votes of one voter are a unit.
func newFormTrial(d *palate.Dataset, o *CrowdOptions) *formTrial {
	d = trial.Sample(d, trialMost, o.Seed)
	t := &formTrial{Trial: trial.New(d, trial.Folds(d, trialHeld, o.Seed), func(vote int) int { return d.Vote(vote).User }), options: *o, progress: o.Progress}
	t.options.Progress, t.options.Tolerance = nil, trialTolerance
	t.options.Lengths, t.options.VoterFeatures = MedianLengths, WithoutFeatures // they take most of the time, and change little
	return t
}

// candidate fits a crowd of a form.
func (t *formTrial) candidate(f CrowdForm) trial.Candidate {
	return trial.Candidate{Name: f.String(), Fit: func(ctx context.Context, train *palate.Dataset) (trial.Predictor, error) {
		if t.progress != nil {
			t.progress(Progress{Stage: "trying " + f.String(), Round: len(t.Tried()) + 1, Objective: math.NaN()})
		}
		o := t.options.with(f)
		return asModel(fitCrowd(ctx, train, &o, f))
	}}
}

// challenge puts the best of others in the place of best if it predicts votes
// clearly better.
func (t *formTrial) challenge(ctx context.Context, best *CrowdForm, others ...CrowdForm) error {
	var rivals []trial.Candidate
	for _, f := range others {
		rivals = append(rivals, t.candidate(f))
	}
	k, err := t.Challenge(ctx, t.candidate(*best), rivals, trial.Margin{Errors: trialErrors})
	if err == nil && k >= 0 {
		*best = others[k]
	}
	return err
}

// why compares the form chosen with the one that it was tried against, or with the
// best of those that were not clearly better.
func (t *formTrial) why(chosen, start CrowdForm) string {
	other := start.String()
	if chosen == start {
		lowest := math.Inf(1)
		for _, name := range t.Tried() {
			if m := t.Mean(name); name != chosen.String() && m < lowest {
				other, lowest = name, m
			}
		}
	}
	return t.Compare(chosen.String(), other)
}
