package main

import (
	"context"
	"encoding/json"
	"fmt"

	"palate/feature"
	"palate/infer"
	"palate/internal/cli"
	"palate/kernel"
	"palate/model"
	"palate/report"
)

// fit fits the model that the flags ask for.
func (s *settings) fit(ctx context.Context, v *voteData, o *model.Settings, c *cli.Console) (model.Model, error) {
	if s.model == "auto" {
		c.Step("choosing a model", "choosing a model")
		if err := s.decide(ctx, v, o, c); err != nil {
			c.Clear()
			if ctx.Err() != nil {
				err = cli.ErrInterrupted
			}
			return nil, err
		}
	}
	e, err := model.Find(s.model)
	if err != nil {
		return nil, err
	}
	m, err := s.fitKind(ctx, e, v, *o, c)
	c.Clear()
	switch {
	case ctx.Err() != nil:
		return nil, cli.ErrInterrupted
	case err != nil && s.ruled && s.rule != "ep":
		return nil, fmt.Errorf("--rule %s does not take these votes, --rule ep does: %w", s.rule, err)
	case err != nil:
		return nil, err
	}
	s.tell(e, m, v, c)
	return m, nil
}

// fitKind fits a kind of model, by those of the settings that it takes.
func (s *settings) fitKind(ctx context.Context, e model.Entry, v *voteData, o model.Settings, c *cli.Console) (m model.Model, err error) {
	o.Links, o.UserLinks, o.Votes = v.links, v.userLinks, v.spool
	if o.ItemEncoder, err = encoded(v.encoder); err != nil {
		return nil, err
	}
	if o.UserEncoder, err = encoded(v.userEncoder); err != nil {
		return nil, err
	}
	if p := fitting(c); p != nil {
		o.Progress = p
	}
	done, err := s.learning.follow(&o, c)
	if err != nil {
		return nil, err
	}
	o = e.Only(o)
	m, err = e.Fit(ctx, v.data, &o)
	if err := done(); err != nil {
		return nil, err
	}
	return m, err
}

// tell notes what the fit chose, and what was given of voters that the model has not
// read.
func (s *settings) tell(e model.Entry, m model.Model, v *voteData, c *cli.Console) {
	f := m.Fit()
	if f.HeldOut != 0 {
		c.Note("%.3g%% of the votes were held out and not learnt from; their loss is %.4f nats a vote", 100*s.holdOut, f.HeldOut)
	}
	if f.Why != "" {
		c.Note("the %s has %s: %s", e.Name, f.Form, f.Why)
	}
	parts := []model.Model{m}
	if a, ok := m.(*model.Average); ok {
		parts = a.Parts()
	}
	if s.rankings == "whole" && v.data.HasGroups() && !e.Reads.Has(model.Answers) {
		how := "as votes of their own"
		if e.Reads.Has(model.Weights) {
			how = "as pairs that weigh no more than they tell"
		}
		c.Note("%s takes rankings and other answers about several items %s; %s reads them as answers", e.Name, how, modelsReading(model.Answers))
	}
	if moving, ok := m.(*model.Moving); ok {
		c.Note("%s", moving.Remark())
	}
	for _, p := range parts {
		s.tellLengths(p, v, c)
		if r, ok := p.(interface{ Remarks() []string }); ok {
			for _, says := range r.Remarks() {
				c.Note("%s", says)
			}
		}
		if single, ok := p.(*model.Single); ok {
			s.tellSingle(single, v, c)
		}
	}
	for _, x := range []struct {
		given bool
		what  model.Reads
	}{{v.userEncoder != nil, model.UserFeatures}, {v.userLinks != nil, model.UserLinks}} {
		switch {
		case !x.given || m.Reads().Has(x.what):
		case e.Reads.Has(x.what):
			c.Note("the %v were left out: %s", x.what, e.Silent)
		default:
			c.Note("the %v were left out: %s does not read them; %s does", x.what, e.Name, modelsReading(x.what))
		}
	}
	if f.Status != infer.Converged {
		c.Note("the fit did not converge: %v, last change %.2g; the numbers may be a little off", f.Status, f.Stats.Change)
	}
}

// tellSingle notes what concerns one utility for all voters.
func (s *settings) tellSingle(m *model.Single, v *voteData, c *cli.Console) {
	if manyVotes(v, s.pooled) && m.Dependence() == (model.Dependence{}) {
		c.Note("votes of one voter are taken to be independent, since telling so many apart would take long: intervals are about these votes, and too narrow for people like these voters if tastes differ")
	}
	if v.links != nil && s.linkKernel == kernel.Diffusion.String() {
		if _, _, ok := kernel.Regularised(m.Kernel()); ok {
			c.Note("%d linked items are too many for diffusion, which takes the covariance of all: the regularised Laplacian stands in for it (--link-kernel laplacian)", m.NumItems())
		}
	}
}

// manyVotes reports whether voters are named, are not to be pooled and have so many votes
// that they may be.
func manyVotes(v *voteData, pooled bool) bool {
	return !pooled && v.data.NumUsers() > 1 && v.data.NumVotes() > 20_000
}

// encoded returns an encoder as JSON, nil when there is none.
func encoded(e *feature.Encoder) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	return json.Marshal(e)
}

// summary says what was fitted to which votes.
func (s *settings) summary(m model.Model, b *voteData) *report.Fit {
	f := describe(m)
	f.Counted, f.Voters, f.Per = true, b.data.NumUsers(), s.per
	if fs := b.data.ItemFeatures(); fs != nil {
		f.Features = fs.Cols
	}
	votes, skips := b.counts()
	f.Skips = skips
	if s.holdOut == 0 && f.Called == "" { // otherwise only some of them were used
		f.Cast = votes - skips
	}
	return f
}

// describe says what is known of a model without its votes.
func describe(m model.Model) *report.Fit {
	fit := m.Fit()
	var effects []model.Effect
	if e, ok := m.(interface{ Effects() []model.Effect }); ok {
		effects = e.Effects()
	}
	var segments []float64
	if s, ok := m.(interface{ Segments() []float64 }); ok {
		if segments = s.Segments(); len(segments) < 2 { // one form, which has none
			segments = nil
		}
	}
	board := m // what everybody's board is of
	if a, ok := m.(*model.Average); ok {
		board = a.Parts()[0]
	}
	_, ofNewVoter := board.(model.Units)
	called := ""
	if c, ok := m.(interface{ Called() string }); ok {
		called = c.Called()
	}
	return &report.Fit{
		Model: m.Name(), Called: called, Segments: segments, Rule: fit.Rule, Form: fit.Form, Personal: board.NumUsers() > 0 && !ofNewVoter, Items: m.NumItems(), Threshold: fit.Threshold,
		Likelihood: fit.Likelihood, Votes: fit.Votes, Ties: fit.Ties,
		Gain: fit.Gain, Effects: effects, Objective: fit.Objective, Kind: fit.Kind, Status: fit.Ending(),
	}
}
