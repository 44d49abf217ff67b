package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"palate"
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

// formTrial is how forms did on votes held out.
type formTrial struct {
	d        *palate.Dataset
	options  CrowdOptions
	progress func(Progress)
	dealt    [][]int // everybody's votes
	folds    [][]int // those of them that are held out in turn
	tried    []CrowdForm
	loss     map[CrowdForm][]float64 // by vote held out
	voter    []int                   // of each
	weight   []float64
}

// chooseForm tries forms on votes held out and returns the best. Votes are foretold from fewer than there are, which is to the
// advantage of what is simple: wide tastes and rough utilities stay unless others
// are better by more than a standard error.
func chooseForm(ctx context.Context, d *palate.Dataset, o *CrowdOptions) (CrowdForm, error) {
	best, tastes, smoothness := o.settled(d)
	if !tastes && !smoothness {
		return best, nil
	}
	t := newFormTrial(d, o)
	if len(t.voter) == 0 {
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

// newFormTrial deals everybody's votes into folds.
func newFormTrial(d *palate.Dataset, o *CrowdOptions) *formTrial {
	rng := rand.New(rand.NewPCG(o.Seed, 3))
	if d.NumVotes() > trialMost {
		d = someVoters(d, rng)
	}
	t := &formTrial{d: d, options: *o, progress: o.Progress, dealt: make([][]int, trialFolds), loss: map[CrowdForm][]float64{}}
	t.options.Progress, t.options.Crowd.Tolerance = nil, trialTolerance
	t.options.Lengths, t.options.NoVoterFeatures = MedianLengths, true // they take most of the time, and change little
	next := rng.Perm(d.NumUsers() + 1)                                 // so that no fold is that of all first votes; the last is nobody's
	for _, k := range rng.Perm(d.NumVotes()) {
		u := voterOrNobody(d, k)
		f := next[u] % trialFolds
		t.dealt[f] = append(t.dealt[f], k)
		next[u]++
	}
	held := 0
	for _, fold := range t.dealt {
		if held < trialHeld {
			t.folds = append(t.folds, fold)
			held += len(fold)
		}
	}
	for _, fold := range t.folds {
		for _, k := range fold {
			if v := d.Vote(k); decided(v) {
				t.voter, t.weight = append(t.voter, v.User), append(t.weight, v.Weight)
			}
		}
	}
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

// decided reports whether one of the items won.
func decided(v palate.Vote) bool { return v.Outcome == palate.Left || v.Outcome == palate.Right }

// challenge puts the best of others in the place of best if it foretells votes
// clearly better.
func (t *formTrial) challenge(ctx context.Context, best *CrowdForm, others ...CrowdForm) error {
	if err := t.try(ctx, *best); err != nil {
		return err
	}
	rival := *best
	for _, f := range others {
		if err := t.try(ctx, f); err != nil {
			return err
		}
		if gain, _ := t.gain(f, rival); gain > 0 {
			rival = f
		}
	}
	if gain, se := t.gain(rival, *best); gain > trialErrors*se {
		*best = rival
	}
	return nil
}

// try finds the loss of every vote held out under a form.
func (t *formTrial) try(ctx context.Context, f CrowdForm) error {
	if t.loss[f] != nil {
		return nil
	}
	if t.progress != nil {
		t.progress(Progress{Stage: "trying " + f.String(), Round: len(t.tried) + 1, Objective: math.NaN()})
	}
	o := t.options.with(f)
	var loss []float64
	for k, fold := range t.folds {
		var rest []int
		for j, other := range t.dealt {
			if j != k {
				rest = append(rest, other...)
			}
		}
		m, err := fitCrowd(ctx, t.d.Select(rest), &o, f)
		if err != nil {
			return err
		}
		for _, k := range fold {
			v := t.d.Vote(k)
			if !decided(v) {
				continue
			}
			if v.Outcome == palate.Right {
				v = v.Swap()
			}
			loss = append(loss, -math.Log(max(m.Prefer(v.User, v.Left, v.Right), 1e-12)))
		}
	}
	t.tried, t.loss[f] = append(t.tried, f), loss
	return nil
}

// gain returns by how much a foretells votes better than b, in nats a vote, and
// the standard error of that, votes of one voter going together.
func (t *formTrial) gain(a, b CrowdForm) (mean, se float64) {
	var total float64
	for k, w := range t.weight {
		mean += w * (t.loss[b][k] - t.loss[a][k])
		total += w
	}
	mean /= total
	off := make([]float64, t.d.NumUsers()+1) // the last is nobody's
	for k, w := range t.weight {
		u := t.voter[k]
		if u < 0 {
			u = t.d.NumUsers()
		}
		off[u] += w * (t.loss[b][k] - t.loss[a][k] - mean)
	}
	for _, x := range off {
		se += x * x
	}
	return mean, math.Sqrt(se) / total
}

// mean returns the loss of a form, in nats a vote.
func (t *formTrial) mean(f CrowdForm) float64 {
	var sum, total float64
	for k, w := range t.weight {
		sum += w * t.loss[f][k]
		total += w
	}
	return sum / total
}

// why compares the form chosen with the one that it was tried against, or with the
// best of those that were not clearly better.
func (t *formTrial) why(chosen, start CrowdForm) string {
	other := start
	if chosen == start {
		lowest := math.Inf(1)
		for _, f := range t.tried {
			if m := t.mean(f); f != chosen && m < lowest {
				other, lowest = f, m
			}
		}
	}
	gain, se := t.gain(chosen, other)
	return fmt.Sprintf("cross-entropy %.3f on %d votes held out; %.3f with %v (difference %.3f ± %.3f)",
		t.mean(chosen), len(t.weight), t.mean(other), other, math.Abs(gain), se)
}
