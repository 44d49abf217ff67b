package evaluate

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"palate"
	"palate/model"
)

// Where Choose stops looking further: a choice must not take longer than the fit. How
// many votes a kind of model is tried on is in its entry, model.Entry.AutoVotes.
const (
	kernelItems = 500 // above, kernels are not compared
	fewVoters   = 3   // who cast fewVotes or more, or there is nobody to tell apart
	fewVotes    = 2
	rounding    = 1e-6 // of a log evidence
)

// ChooseOptions are the settings of Choose; nil means the defaults.
type ChooseOptions struct {
	// Settings are those that the model is to be fitted with. Kinds that do not take
	// them are left out, but for links, which are left out where a kind does not read
	// them.
	Settings model.Settings
	// PerVoter leaves out models that do not tell voters apart.
	PerVoter bool
	// By is what the model is for, and what trials hold out: votes of voters who are known
	// (ByVote), voters, or items.
	By By
}

// Choice is a model for some votes.
type Choice struct {
	Model    string         // a name of model.Catalogue
	Settings model.Settings // to fit it with
	Why      string         // in one line
	// Loss is the cross-entropy that new votes should have, in nats, and Error its standard
	// error; 0 where there was no trial.
	Loss, Error float64
}

// Choose picks a model from what the votes hold, among those of model.Catalogue that
// say how many votes they may be taken with. Links of one utility are taken in where the
// evidence is not against them. Whether to tell voters apart, and how, is decided
// by trial, on votes held out from the given ones: models that are worse than the best by
// more than a standard error are left out, and what remains is averaged, by weights that
// predict those votes best. Other kernels than the model's own have to be better by more
// than two errors, as there are several.
//
// What is held out hangs on what votes say and on the seed, not on their order nor on
// names. Votes that follow from one answer go together, those of a ranking for one, though
// it may have been given as pairs; so do all votes about a pair of items where they look like
// copies of each other, as labels do that were handed on. Trials are on votes that are decided.
func Choose(ctx context.Context, d *palate.Dataset, o *ChooseOptions) (Choice, error) {
	if o == nil {
		o = &ChooseOptions{}
	}
	c := &choosing{d: d, settings: o.Settings, asked: o.Settings.Features, perVoter: o.PerVoter, by: o.By}
	if c.settings.Whole && d.HasGroups() {
		c.d, c.settings.Whole = d.Tempered(), false
	}
	if c.settings.Progress = nil; !d.HasRatings() {
		c.settings.Scale = model.Scale{} // it is of ratings that were read as such, and these were compared
	}
	c.gather()
	why, err := c.choose(ctx)
	if err != nil {
		return Choice{}, err
	}
	chosen := c.settingsOf(c.entry, c.settings)
	if c.parts != nil {
		chosen = model.Settings{Seed: o.Settings.Seed, ItemEncoder: o.Settings.ItemEncoder, UserEncoder: o.Settings.UserEncoder, Parts: c.parts}
	}
	chosen.Whole, chosen.Progress = o.Settings.Whole, o.Settings.Progress
	return Choice{Model: c.entry.Name, Settings: chosen, Why: why, Loss: c.loss, Error: c.error}, nil
}

// choosing is a choice under way.
type choosing struct {
	d        *palate.Dataset
	settings model.Settings
	asked    *model.FeatureKernel // nil: the kernel is to be chosen
	perVoter bool
	by       By
	one      []model.Entry // kinds that do not tell voters apart, those that need links last
	each     []model.Entry // kinds that do
	entry    model.Entry   // the choice so far
	parts    []model.Part  // of the choice, where it is an average
	taken    []share       // the choice as it was tried
	loss     float64       // that new votes should have
	error    float64
}

// gather finds the kinds that may be taken.
func (c *choosing) gather() {
	asked := reflect.ValueOf(c.settings)
	for _, e := range model.Catalogue() {
		takes := e.AutoVotes >= 0 && (len(c.d.Properties()) == 0 || e.Reads.Has(model.VoteProperties))
		for i := range asked.NumField() {
			field := asked.Type().Field(i).Name
			takes = takes && (asked.Field(i).IsZero() || e.Accepts(field) || field == "Links" || field == "UserLinks")
		}
		switch {
		case !takes:
		case e.Personal():
			c.each = append(c.each, e)
		case c.settings.Links != nil || !e.Needs.Has(model.ItemLinks):
			c.one = append(c.one, e)
		}
	}
}

// settingsOf leaves out links that a kind does not read.
func (c *choosing) settingsOf(e model.Entry, s model.Settings) model.Settings {
	if !e.Accepts("Links") {
		s.Links = nil
	}
	if !e.Accepts("UserLinks") {
		s.UserLinks = nil
	}
	return s
}

func (c *choosing) choose(ctx context.Context) (string, error) {
	if len(c.one) == 0 && len(c.each) == 0 {
		return "", fmt.Errorf("evaluate: no model takes all of these settings")
	}
	if len(c.one) == 0 || c.perVoter {
		return c.weighVoters(ctx)
	}
	linked := c.settings.Links != nil
	c.entry = c.one[len(c.one)-1]
	var why []string
	if linked {
		reason, err := c.weighLinks(ctx)
		if err != nil {
			return "", err
		}
		why = append(why, reason)
	}
	reason, err := c.weighVoters(ctx)
	switch {
	case !c.entry.Personal():
		reason = strings.Join(append([]string{reason}, why...), "; ")
	case linked && !c.entry.Reads.Has(model.ItemLinks):
		reason += "; links between items, which it does not read, are left out"
	}
	return reason, err
}

// evidence fits a kind to all votes.
func (c *choosing) evidence(ctx context.Context, e model.Entry, s model.Settings) (float64, error) {
	m, err := e.Fit(ctx, c.d, &s)
	if err != nil {
		return 0, err
	}
	return m.Fit().Objective, nil
}

// weighLinks drops links that the evidence is against.
func (c *choosing) weighLinks(ctx context.Context) (string, error) {
	with, err := c.evidence(ctx, c.entry, c.settings)
	if err != nil {
		return "", err
	}
	bare := c.settings
	bare.Links = nil
	without, err := c.evidence(ctx, c.one[0], bare)
	if err != nil {
		return "", err
	}
	if gain := with - without; gain > -rounding {
		return fmt.Sprintf("links raise the log evidence by %.1f", max(gain, 0)), nil
	}
	c.entry, c.settings = c.one[0], bare
	return fmt.Sprintf("links lower the log evidence, by %.1f, and are left out", without-with), nil
}
