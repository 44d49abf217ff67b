package model

import (
	"context"
	"math"
	"math/rand/v2"

	"palate"
	"palate/internal/trial"
)

// The trial that chooses a form.
const (
	trialFolds     = 5    // a fifth of everybody's votes is held out at a time
	trialHeld      = 500  // fifths are held out until there are so many votes
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

// chooseForm tries forms on votes held out and returns the best. Votes are foretold from
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

// newFormTrial deals everybody's votes into folds. Votes of one voter are a unit.
func newFormTrial(d *palate.Dataset, o *CrowdOptions) *formTrial {
	rng := rand.New(rand.NewPCG(o.Seed, 3))
	d = d.Select(d.ByContent()) // whatever the order of rows
	if d.NumVotes() > trialMost {
		d = someVoters(d, rng)
	}
	dealt := make([][]int, trialFolds)
	next := rng.Perm(d.NumUsers() + 1) // so that no fold is that of all first votes; the last is nobody's
	for _, k := range rng.Perm(d.NumVotes()) {
		u := voterOrNobody(d, k)
		f := next[u] % trialFolds
		dealt[f] = append(dealt[f], k)
		next[u]++
	}
	held := 0
	var folds []trial.Fold
	for k, test := range dealt {
		if held >= trialHeld {
			break
		}
		fold := trial.Fold{Test: test}
		for j, other := range dealt {
			if j != k {
				fold.Train = append(fold.Train, other...)
			}
		}
		folds = append(folds, fold)
		held += len(test)
	}
	t := &formTrial{Trial: trial.New(d, folds, func(vote int) int { return d.Vote(vote).User }), options: *o, progress: o.Progress}
	t.options.Progress, t.options.Tolerance = nil, trialTolerance
	t.options.Lengths, t.options.VoterFeatures = MedianLengths, WithoutFeatures // they take most of the time, and change little
	return t
}

// someVoters returns the votes of voters drawn at random, trialMost of them.
func someVoters(d *palate.Dataset, rng *rand.Rand) *palate.Dataset {
	count := make([]int, d.NumUsers()+1)
	for k := range d.NumVotes() {
		count[voterOrNobody(d, k)]++
	}
	kept, votes := make([]bool, len(count)), 0
	for _, u := range rng.Perm(len(count)) {
		if votes >= trialMost {
			break
		}
		kept[u] = true
		votes += count[u]
	}
	var some []int
	for _, k := range rng.Perm(d.NumVotes()) {
		if kept[voterOrNobody(d, k)] && len(some) < trialMost {
			some = append(some, k)
		}
	}
	return d.Select(some)
}

// voterOrNobody returns who cast vote k; d.NumUsers() is nobody.
func voterOrNobody(d *palate.Dataset, k int) int {
	if u := d.Vote(k).User; u >= 0 {
		return u
	}
	return d.NumUsers()
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

// challenge puts the best of others in the place of best if it foretells votes
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
