package evaluate

import (
	"context"
	"fmt"
	"slices"
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
	case busy < fewVoters && busy == c.d.NumUsers():
		return fmt.Sprintf("%s, as it takes %d voters to tell them apart", keep.Name, fewVoters), nil
	case busy < fewVoters:
		return fmt.Sprintf("%s, as only %d of %d voters cast %d votes or more", keep.Name, busy, c.d.NumUsers(), fewVotes), nil
	case len(each) == 0:
		return fmt.Sprintf("%s, as telling voters apart takes long with %d votes (--model %s does)", keep.Name, n, c.each[0].Name), nil
	}
	own := c.settings
	own.Features = c.asked // the evidence of one utility says nothing of others
	kinds := []kind{{c.entry, c.settings}}
	if alone {
		kinds = nil
	}
	for _, e := range each {
		kinds = append(kinds, kind{e, c.settingsOf(e, own)})
	}
	c.entry, c.settings = kinds[0].Entry, kinds[0].settings
	h, err := holdOut(ctx, c.d, c.settings.Seed, c.by)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return fmt.Sprintf("%s, as there is no trial (%s)", c.entry.Name, strings.TrimPrefix(err.Error(), "evaluate: ")), nil
	}
	answers := trial.Answers(c.d, trial.NewKeys(c.d, c.settings.Seed), false)
	reason := ""
	if several := answers.Several(c.d); !alone && answers.Rankings > 0 && several < fewVoters {
		// Somebody's only ranking says nothing of the next one, as it is not known that its
		// votes are one answer.
		reason = fmt.Sprintf(", as only %d of %d voters gave more than one ranking", several, c.d.NumUsers())
		kinds = kinds[:1]
	}
	said, err := c.weighKinds(ctx, h, kinds)
	if err != nil {
		return "", fmt.Errorf("evaluate: %w", err)
	}
	reason = c.entry.Name + reason + said
	if f := c.d.ItemFeatures(); c.entry.Personal() && c.parts == nil && f != nil && f.Cols > 0 && c.settings.Features == nil {
		shapes, err := c.weighShapes(ctx, h)
		if err != nil {
			return "", err
		}
		reason += shapes
	}
	if c.loss, c.error, err = h.expectedLoss(ctx, c.taken); err != nil {
		return "", fmt.Errorf("evaluate: %w", err)
	}
	reason += fmt.Sprintf("; new votes should have %.3f ± %.3f", c.loss, c.error)
	if found := answers.String(); found != "" {
		reason += "; " + found
	}
	return reason, nil
}

// kind is a kind of model with the settings that it is to be fitted with.
type kind struct {
	model.Entry
	settings model.Settings
}

// leastWeight is that of a kind in an average, below which it is left out.
const leastWeight = 0.05

// weighKinds tries kinds of models, simple ones first, and takes the best, or an average of
// those that are not told apart. Where links take part the simplest of these is taken: what
// a model of links says of new items no other does.
func (c *choosing) weighKinds(ctx context.Context, h *heldOut, kinds []kind) (string, error) {
	var names []string
	for k, x := range kinds {
		if k > 1 && h.behind(kinds[k-1].Name, names[:k-1]) {
			kinds = kinds[:k] // what has yet more in it does not help either
			break
		}
		if err := h.Try(ctx, c.candidate(x)); err != nil {
			return "", err
		}
		names = append(names, x.Name)
	}
	of := func(name string) kind { return kinds[slices.Index(names, name)] }
	lead := h.Leading(names)
	if of(lead[0]).Needs.Has(model.ItemLinks) {
		lead = lead[:1]
	}
	for {
		prior := make([]float64, len(lead))
		for k, name := range lead {
			prior[k] = of(name).AutoPrior
		}
		weight := h.Stack(lead, prior)
		least := slices.Index(weight, slices.Min(weight))
		if len(lead) == 1 || weight[least] >= leastWeight {
			if len(lead) > 1 {
				return c.average(h, lead, weight, of)
			}
			break
		}
		lead = slices.Delete(lead, least, least+1)
	}
	took := of(lead[0])
	c.entry, c.settings, c.taken = took.Entry, took.settings, []share{{c.candidate(took), 1}}
	others := slices.DeleteFunc(names, func(n string) bool { return n == took.Name })
	if len(others) == 0 {
		return fmt.Sprintf(": cross-entropy %.3f on held-out votes", h.Mean(took.Name)), nil
	}
	return ": " + h.Compare(took.Name, h.Best(others)), nil
}

// average takes several kinds, each with a weight. Those that tell voters apart are fitted
// as they were tried, as the weights are of that.
func (c *choosing) average(h *heldOut, names []string, weight []float64, of func(name string) kind) (string, error) {
	e, err := model.Find("average")
	if err != nil {
		return "", err
	}
	var words []string
	for k, name := range names {
		x := of(name)
		s := x.settings
		if x.Personal() {
			s = x.Trial(c.d, s)
		}
		c.parts = append(c.parts, model.Part{Model: name, Settings: s, Weight: weight[k]})
		c.taken = append(c.taken, share{c.candidate(x), weight[k]})
		words = append(words, fmt.Sprintf("%s %.0f%% (%.3f)", name, 100*weight[k], h.Mean(name)))
	}
	h.Mix(e.Name, names, weight)
	c.entry = e
	return fmt.Sprintf(" of %s, which held-out votes do not tell apart: cross-entropy %.3f", and(words), h.Mean(e.Name)), nil
}

// candidate is a kind with settings, which its name tells from others of the kind.
func (c *choosing) candidate(x kind, words ...any) trial.Candidate {
	s := x.Trial(c.d, x.settings)
	return trial.Candidate{Name: x.Name + fmt.Sprint(words...), Fit: func(ctx context.Context, train *palate.Dataset) (trial.Predictor, error) {
		return x.Fit(ctx, train, &s)
	}}
}

// clearly is by how much other settings than the model's own must be better, as there are
// several, and a gain below is not worth a word.
func clearly() trial.Margin { return trial.Margin{Errors: 2, Nats: 0.001} }

// weighShapes tries other kernels over item features than that of the model.
func (c *choosing) weighShapes(ctx context.Context, h *heldOut) (string, error) {
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
		others = append(others, c.candidate(kind{c.entry, with}, " with ", s))
	}
	now := c.taken[0].Candidate
	best, err := h.Challenge(ctx, now, others, clearly())
	if err != nil || best < 0 {
		return fmt.Sprintf("; kernel %v: no other is clearly better", kernel.Matern32), err
	}
	c.settings.Features, c.taken[0].Candidate = &model.FeatureKernel{Shape: shapes[best]}, others[best]
	gain, se := h.Gain(others[best].Name, now.Name)
	return fmt.Sprintf("; kernel %v, better by %.3f ± %.3f than %v", shapes[best], gain, se, kernel.Matern32), nil
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
