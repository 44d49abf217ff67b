package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/internal/trial"
	"palate/kernel"
	"palate/model"
)

// weighVoters decides whether to tell voters apart.
func (c *choosing) weighVoters(ctx context.Context) (string, error) {
	n, keep := c.d.NumVotes(), c.entry
	var each []model.Entry
	for _, e := range c.each {
		if n <= e.AutoVotes {
			each = append(each, e)
		}
	}
	alone := keep.Name == "" // only kinds that tell voters apart are asked for
	if alone && len(each) == 0 {
		each = c.each[:1]
	}
	busy := 0
	for _, votes := range byUser(c.d) {
		if len(votes) >= fewVotes {
			busy++
		}
	}
	switch {
	case alone && len(each) == 1:
		c.entry = each[0]
		if len(c.each) == 1 {
			return c.entry.Name + ", as only that was asked for", nil
		}
		return fmt.Sprintf("%s, as %s takes long with %d votes", c.entry.Name, c.each[len(c.each)-1].Name, n), nil
	case alone:
	case !c.d.HasUsers():
		return keep.Name + ", as the votes name no voters", nil
	case len(c.each) == 0:
		return keep.Name + ", as only that was asked for", nil
	case busy < fewVoters:
		return fmt.Sprintf("%s, as only %d of %d voters cast %d votes or more", keep.Name, busy, c.d.NumUsers(), fewVotes), nil
	case len(each) == 0:
		return fmt.Sprintf("%s, as telling voters apart takes long with %d votes (--model %s does)", keep.Name, n, c.each[0].Name), nil
	}
	candidates := each
	if !alone {
		candidates = append([]model.Entry{keep}, each...)
	}
	own := c.settings
	own.Features = c.asked // the evidence of one utility says nothing of others
	settings := func(e model.Entry) model.Settings {
		if e.Name == keep.Name {
			return c.settings
		}
		return c.settingsOf(e, own)
	}
	t, err := newTrial(c.d, c.settings.Seed)
	if err != nil {
		return "", err
	}
	simple := c.candidate(candidates[0], settings(candidates[0]))
	var others []trial.Candidate
	for _, e := range candidates[1:] {
		others = append(others, c.candidate(e, settings(e)))
	}
	best, err := t.Challenge(ctx, simple, others, trial.Margin{Errors: 1})
	if err != nil {
		return "", fmt.Errorf("evaluate: %w", err)
	}
	var reason string
	rival := slices.MinFunc(others, func(a, b trial.Candidate) int { return cmp.Compare(t.Mean(a.Name), t.Mean(b.Name)) }).Name
	switch {
	case best >= 0:
		reason = rival + ": " + t.Compare(rival, simple.Name)
	case alone:
		reason = fmt.Sprintf("%s, as %s is not clearly better: %s", simple.Name, rival, t.Compare(simple.Name, rival))
	default:
		reason = fmt.Sprintf("%s, as telling voters apart does not clearly help: %s", simple.Name, t.Compare(simple.Name, rival))
	}
	if c.entry = candidates[best+1]; c.entry.Name == keep.Name {
		return reason, nil
	}
	c.settings = settings(c.entry)
	c.fitted = c.candidate(c.entry, c.settings)
	factors, err := c.weighFactors(ctx, t)
	if f := c.d.ItemFeatures(); err != nil || f == nil || f.Cols == 0 || c.settings.Features != nil {
		return reason + factors, err
	}
	shapes, err := c.weighShapes(ctx, t)
	return reason + factors + shapes, err
}

// newTrial holds some of the votes out, those of whole voters where there are many.
func newTrial(d *palate.Dataset, seed uint64) (*trial.Trial, error) {
	d = sample(d.Select(d.ByContent()), trialVotes, seed) // whatever the order of rows
	split := &SplitOptions{Seed: seed}
	if d.NumVotes() > foldedVotes {
		split.Share = 0.2
	}
	folds, err := Split(d, split)
	if err != nil {
		return nil, err
	}
	unit := map[int]int{}
	var parts []trial.Fold
	for _, f := range folds {
		part := trial.Fold{Train: f.Train}
		for _, c := range f.Test {
			part.Test = append(part.Test, c.Vote)
			unit[c.Vote] = c.Unit
		}
		parts = append(parts, part)
	}
	return trial.New(d, parts, func(vote int) int { return unit[vote] }), nil
}

// candidate is a kind with settings, which its name tells from others of the kind.
func (c *choosing) candidate(e model.Entry, s model.Settings, words ...any) trial.Candidate {
	s = e.Trial(s)
	return trial.Candidate{Name: e.Name + fmt.Sprint(words...), Fit: func(ctx context.Context, train *palate.Dataset) (trial.Predictor, error) {
		return e.Fit(ctx, train, &s)
	}}
}

// clearly is by how much other settings than the model's own must be better, as there are
// several, and a gain below is not worth a word.
func clearly() trial.Margin { return trial.Margin{Errors: 2, Nats: 0.001} }

// improve takes the best of other settings for the kind if it is clearly better, and
// says by how much.
func (c *choosing) improve(ctx context.Context, t *trial.Trial, others []trial.Candidate) (best int, by string, err error) {
	if best, err = t.Challenge(ctx, c.fitted, others, clearly()); err != nil || best < 0 {
		return best, "", err
	}
	gain, se := t.Gain(others[best].Name, c.fitted.Name)
	c.fitted = others[best]
	return best, fmt.Sprintf("%.3f ± %.3f", gain, se), nil
}

// weighFactors tries fewer factors of taste than the model would take by itself.
func (c *choosing) weighFactors(ctx context.Context, t *trial.Trial) (string, error) {
	settled := c.entry.SettlesFactors && c.d.ItemFeatures() == nil
	if c.settings.Factors != 0 || !c.entry.Accepts("Factors") || settled {
		return "", nil
	}
	caps := []int{1, 2, 4}
	var others []trial.Candidate
	for _, n := range caps {
		with := c.settings
		with.Factors = n
		others = append(others, c.candidate(c.entry, with, " of ", n, " factors"))
	}
	best, gain, err := c.improve(ctx, t, others)
	if err != nil || best < 0 {
		return "; factors of taste: as many as votes call for, 1, 2 or 4 at most are not clearly better", err
	}
	c.settings.Factors = caps[best]
	return fmt.Sprintf("; factors of taste: %d at most, better by %s than as many as votes call for", c.settings.Factors, gain), nil
}

// weighShapes tries other kernels over item features than that of the model.
func (c *choosing) weighShapes(ctx context.Context, t *trial.Trial) (string, error) {
	n := c.d.NumItems()
	switch {
	case len(c.d.ItemFeatures().Blocks) > 1 && c.entry.Weighs:
		return "; weights on features of text", nil
	case n > kernelItems:
		return fmt.Sprintf("; kernel as ever: with %d items comparing kernels takes long", n), nil
	}
	shapes := []kernel.Shape{kernel.Matern12, kernel.Matern52, kernel.SE}
	var others []trial.Candidate
	for _, s := range shapes {
		with := c.settings
		with.Features = &model.FeatureKernel{Shape: s}
		others = append(others, c.candidate(c.entry, with, " with ", s))
	}
	best, gain, err := c.improve(ctx, t, others)
	if err != nil || best < 0 {
		return fmt.Sprintf("; kernel %v: no other is clearly better", kernel.Matern32), err
	}
	c.settings.Features = &model.FeatureKernel{Shape: shapes[best]}
	return fmt.Sprintf("; kernel %v, better by %s than %v", shapes[best], gain, kernel.Matern32), nil
}

// byUser returns the votes of each user.
func byUser(d *palate.Dataset) [][]int {
	out := make([][]int, d.NumUsers())
	for k, v := range d.Votes() {
		if v.User >= 0 && v.Outcome != palate.Skip {
			out[v.User] = append(out[v.User], k)
		}
	}
	return out
}

// sample returns all votes of as many voters as cast about so many.
func sample(d *palate.Dataset, votes int, seed uint64) *palate.Dataset {
	if d.NumVotes() <= votes {
		return d
	}
	var picked []int
	by := byUser(d)
	for _, u := range rand.New(rand.NewPCG(seed, 0x5a)).Perm(len(by)) {
		if len(picked) > 0 && len(picked)+len(by[u]) > votes {
			break
		}
		picked = append(picked, by[u]...)
	}
	return d.Select(picked)
}
