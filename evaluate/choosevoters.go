package evaluate

import (
	"context"
	"fmt"
	"strings"

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
	own := c.settings
	own.Features = c.asked // the evidence of one utility says nothing of others
	t, err := newTrial(c.d, c.settings.Seed, c.by)
	if alone {
		c.entry, c.settings = each[0], c.settingsOf(each[0], own)
		each = each[1:]
	}
	if err != nil {
		return fmt.Sprintf("%s, as there is no trial (%s)", c.entry.Name, strings.TrimPrefix(err.Error(), "evaluate: ")), nil
	}
	c.trial = t
	c.fitted = c.candidate(c.entry, c.settings)
	answers := trial.Answers(c.d, trial.NewKeys(c.d, c.settings.Seed), false)
	reason := ""
	if several := answers.Several(c.d); !alone && answers.Rankings > 0 && several < fewVoters {
		// Somebody's only ranking says nothing of the next one, as it is not known that its
		// votes are one answer.
		reason = fmt.Sprintf(", as only %d of %d voters gave more than one ranking", several, c.d.NumUsers())
		each = nil
	}
	for _, e := range each {
		if c.entry.Personal() && c.settles() {
			break
		}
		s := c.settingsOf(e, own)
		other := c.candidate(e, s)
		best, err := t.Challenge(ctx, c.fitted, []trial.Candidate{other}, trial.Margin{Errors: 1})
		if err != nil {
			return "", fmt.Errorf("evaluate: %w", err)
		}
		switch {
		case best >= 0:
			reason = ": " + t.Compare(other.Name, c.fitted.Name)
			c.entry, c.settings, c.fitted = e, s, other
		case reason != "": // it was better than one before
		case c.entry.Personal():
			reason = fmt.Sprintf(", as %s is not clearly better: %s", other.Name, t.Compare(c.fitted.Name, other.Name))
		default:
			reason = ", as telling voters apart does not clearly help: " + t.Compare(c.fitted.Name, other.Name)
		}
		if best < 0 && !c.entry.Personal() {
			break // those with yet more in them do not help either
		}
	}
	if len(t.Tried()) == 0 {
		if err := t.Try(ctx, c.fitted); err != nil {
			return "", fmt.Errorf("evaluate: %w", err)
		}
		reason += fmt.Sprintf(": cross-entropy %.3f on held-out votes", t.Mean(c.fitted.Name))
	}
	reason = c.entry.Name + reason
	if f := c.d.ItemFeatures(); c.entry.Personal() && f != nil && f.Cols > 0 && c.settings.Features == nil {
		shapes, err := c.weighShapes(ctx, t)
		if err != nil {
			return "", err
		}
		reason += shapes
	}
	if found := answers.String(); found != "" {
		reason += "; " + found
	}
	return reason, nil
}

// settles reports whether the choice so far is of a kind that weighs by itself how voters
// differ, so that there is no need to look further.
func (c *choosing) settles() bool {
	none := func(f *palate.Features) bool { return f == nil || f.Cols == 0 }
	return c.d.NumItems() <= c.entry.SettlesItems && none(c.d.ItemFeatures()) && none(c.d.UserFeatures())
}

// newTrial holds some of the decided votes out, of those of whole voters where there are
// many.
func newTrial(d *palate.Dataset, seed uint64, by By) (*trial.Trial, error) {
	var decided []int
	for k, v := range d.Votes() {
		if v.Outcome == palate.Left || v.Outcome == palate.Right {
			decided = append(decided, k)
		}
	}
	d = trial.Sample(d.Select(decided), trialVotes, seed)
	folds, err := Split(d, &SplitOptions{Seed: seed, By: by, Pairs: true})
	if err != nil {
		return nil, err
	}
	unit := map[int]int{}
	var parts []trial.Fold
	for _, f := range folds {
		if len(parts)*d.NumVotes() >= heldVotes*len(folds) {
			break
		}
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
