package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate"
	"palate/feature"
	"palate/infer"
	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
	"palate/population"
	"palate/report"
)

// fit fits the model that the flags ask for.
func (s *settings) fit(ctx context.Context, v *ballots, o *model.Options, c *cli.Console) (model.Model, error) {
	cast := v
	if s.rankings == "whole" && v.data.HasGroups() && v.spool == nil && s.model != "glicko" {
		tempered := *v
		tempered.data = v.data.Tempered()
		v = &tempered
	}
	if s.model == "auto" {
		c.Start("choosing a model", -1)
		if err := s.decide(ctx, v, o, c); err != nil {
			c.Clear()
			if ctx.Err() != nil {
				err = cli.ErrInterrupted
			}
			return nil, err
		}
	}
	fit := s.fitPopulation
	switch s.model {
	case "population":
		v = cast // whose utilities of their own account for what their votes share
	case "", "single", "linked":
		fit = s.fitSingle
	case "crowd":
		fit = s.fitCrowd
	case "joint":
		fit = s.fitJoint
	case "duels":
		fit = s.fitDuels
	case model.Glickman.String(), model.Diagonal.String():
		fit = s.fitGlicko
	case "bt":
		fit = s.fitBradleyTerry
	}
	m, err := fit(ctx, v, o, c)
	c.Clear()
	if ctx.Err() != nil {
		return nil, cli.ErrInterrupted
	}
	if err != nil {
		return nil, err
	}
	s.tellUnread(m, v, c)
	if f := m.Fit(); f.Status != infer.Converged {
		c.Note("the fit did not converge: %v, last change %.2g; the numbers may be a little off", f.Status, f.Stats.Change)
	}
	return m, nil
}

// tellUnread notes what was given of voters, and the model does not read.
func (s *settings) tellUnread(m model.Model, v *ballots, c *cli.Console) {
	why := "the " + m.Name() + " model has one utility for all voters"
	switch m := m.(type) {
	case *model.Population:
		why = "with fewer than 1,000 voters they do more harm than good"
		if s.model != "population" {
			why = s.model + ", as published, knows nothing of voters but their votes"
		}
	case *model.Crowd:
		why = "they tell of factors of taste, and the crowd has none"
		if m.Reads().UserFeatures {
			why = "the crowd reads features of voters alone"
		}
	}
	r := m.Reads()
	if v.userEncoder != nil && !r.UserFeatures {
		c.Note("the features of voters were left out: %s", why)
	}
	if v.userLinks != nil && !r.UserLinks {
		c.Note("the links between voters were left out: %s; --model population reads them", why)
	}
}

// fitPopulation fits the population model, or a member of the paper's family.
func (s *settings) fitPopulation(ctx context.Context, v *ballots, fit *model.Options, c *cli.Console) (model.Model, error) {
	if err := s.needVoters(v); err != nil {
		return nil, err
	}
	o := &model.PopulationOptions{Rank: s.factors, Kernel: s.prior, Lengths: fit.Lengths, Seed: s.seed, UserLinks: v.userLinks, Progress: fitting(c)}
	if s.features != nil {
		o.Features = *s.features
	}
	switch {
	case s.model != "population":
		o.Family, o.Paper.Rank = s.model, s.factors
	case s.rankings == "whole":
		o.Penalty = population.Penalty * palate.Redundancy(v.votes())
	}
	o.Votes = v.spool
	done, err := s.learning.options(o, c)
	if err != nil {
		return nil, err
	}
	m, err := model.FitPopulation(ctx, v.data, o)
	if err := done(); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, err
	}
	if l := m.HeldOut(); !math.IsNaN(l) && ctx.Err() == nil {
		c.Note("%.3g%% of the votes were put aside and not learnt from; their loss is %.4f nats a vote", 100*s.holdOut, l)
	}
	if m.ItemEncoder, err = encoded(v.encoder); err == nil && m.Reads().UserFeatures {
		m.UserEncoder, err = encoded(v.userEncoder)
	}
	return m, err
}

// fitCrowd fits a consensus and factors of taste.
func (s *settings) fitCrowd(ctx context.Context, v *ballots, o *model.Options, c *cli.Console) (model.Model, error) {
	if err := s.needVoters(v); err != nil {
		return nil, err
	}
	crowd, err := s.crowdFlags.options()
	if err != nil {
		return nil, err
	}
	if s.batch >= v.data.NumUsers() {
		return nil, fmt.Errorf("--batch %d takes all %d voters at once: leave it out for whole sweeps", s.batch, v.data.NumUsers())
	}
	crowd.Crowd.Stochastic, crowd.Features = s.ofVoters(s.seed), s.features
	crowd.Crowd.ConsensusScale, crowd.Crowd.FactorScale, crowd.Crowd.OwnScale = o.ScalePrior, o.ScalePrior, o.ScalePrior
	crowd.Kernel, crowd.Inducing, crowd.Lengths, crowd.Seed, crowd.Progress = s.prior, s.inducing, o.Lengths, s.seed, fitting(c)
	m, err := model.FitCrowd(ctx, v.data, &crowd)
	if m == nil {
		return nil, err
	}
	if f := m.Form(); f.Why != "" {
		c.Note("the crowd has %v: %s", f, f.Why)
	}
	if m.ItemEncoder, err = encoded(v.encoder); err == nil && m.Reads().UserFeatures {
		m.UserEncoder, err = encoded(v.userEncoder)
	}
	return m, err
}

// fitJoint fits a process over voters × items.
func (s *settings) fitJoint(ctx context.Context, v *ballots, o *model.Options, _ *cli.Console) (model.Model, error) {
	if err := s.needVoters(v); err != nil {
		return nil, err
	}
	joint := &model.TensorOptions{}
	if s.ruled {
		joint.Rule = o.Rule
	}
	m, err := model.FitTensor(ctx, v.data, joint)
	if err != nil {
		return nil, err
	}
	if m.ItemEncoder, err = encoded(v.encoder); err == nil {
		m.UserEncoder, err = encoded(v.userEncoder)
	}
	return m, err
}

// fitDuels fits a process over features in the space of the votes.
func (s *settings) fitDuels(ctx context.Context, v *ballots, o *model.Options, c *cli.Console) (model.Model, error) {
	form, err := choose("duels", s.duels, duelForms())
	if err != nil {
		return nil, err
	}
	duels := &model.DuelOptions{ScalePrior: o.ScalePrior, Formulation: form, Rule: o.Rule, Seed: s.seed, Progress: fitting(c)}
	if s.features != nil {
		duels.Features = *s.features
	}
	m, err := model.FitDuelVotes(ctx, v.data, duels)
	if err != nil {
		return nil, err
	}
	m.ItemEncoder, err = encoded(v.encoder)
	return m, err
}

// fitGlicko rates items one vote after the other.
func (s *settings) fitGlicko(ctx context.Context, v *ballots, _ *model.Options, c *cli.Console) (model.Model, error) {
	o := &model.GlickoOptions{Progress: fitting(c)}
	if s.model == model.Diagonal.String() {
		o.Rule = model.Diagonal
	}
	m, err := model.FitGlicko(ctx, v.data, o)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// fitBradleyTerry fits Bradley–Terry scores with a ridge.
func (s *settings) fitBradleyTerry(ctx context.Context, v *ballots, _ *model.Options, c *cli.Console) (model.Model, error) {
	m, err := model.FitBradleyTerry(ctx, v.data, &model.BradleyTerryOptions{Progress: fitting(c)})
	if m == nil {
		return nil, err
	}
	return m, nil
}

func (s *settings) needVoters(v *ballots) error {
	if v.data.NumUsers() > 0 {
		return nil
	}
	return fmt.Errorf("--model %s tells voters apart, but the votes name none: add a column user, or use --model single", s.model)
}

// encoded returns an encoder as JSON, nil when there is none.
func encoded(e *feature.Encoder) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	return json.Marshal(e)
}

// fitSingle fits one utility for all voters.
func (s *settings) fitSingle(ctx context.Context, v *ballots, o *model.Options, c *cli.Console) (model.Model, error) {
	if p := fitting(c); p != nil {
		o.Progress = p
	}
	o.Links = v.links
	m, err := model.FitSingle(ctx, v.data, o)
	if m == nil {
		if s.rule != "ep" && s.rule != "" && ctx.Err() == nil {
			err = fmt.Errorf("--rule %s does not take these votes, --rule ep does: %w", s.rule, err)
		}
		return nil, err
	}
	m.ItemEncoder, err = encoded(v.encoder)
	return m, err
}

// summary says what was fitted to which votes.
func (s *settings) summary(m model.Model, b *ballots) *report.Fit {
	f := describe(m)
	if m.Name() == "single" {
		f.Rule = ruleName(s.rule)
	}
	f.Counted, f.Voters = true, b.data.NumUsers()
	if fs := b.data.ItemFeatures(); fs != nil {
		f.Features = fs.Cols
	}
	n := ingest.CountVotes(b.votes())
	f.Skips = n.Skips
	if s.holdOut == 0 { // otherwise only some of them were used
		f.Cast = n.Votes - n.Skips
	}
	return f
}

// describe says what is known of a model without its votes.
func describe(m model.Model) *report.Fit {
	fit := m.Fit()
	f := &report.Fit{
		Model: m.Name(), Personal: m.NumUsers() > 0, Items: m.NumItems(), Threshold: fit.Threshold,
		Likelihood: fit.Likelihood, Votes: fit.Votes, Ties: fit.Ties,
		Objective: fit.Objective, Kind: fit.Kind, Status: fit.Status.String(),
	}
	if m, ok := m.(*model.Crowd); ok {
		f.Form = m.Form().String()
	}
	return f
}

func ruleName(word string) string {
	if slices.Contains([]string{"ep", "vi"}, word) {
		return strings.ToUpper(word)
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
