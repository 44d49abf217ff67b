package model

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"palate"
)

// Entry is a kind of model, a row of Catalogue: all that can be said of it without
// votes, and how to fit it to some. Command line, files, evaluation, the choice by auto,
// help and documents read it here, and know no kind by name.
type Entry struct {
	Name    string   // as Model.Name, model files and --model have it
	Aliases []string // other names for it
	About   string   // what it is, in one line
	For     string   // what it is good for
	From    string   // the papers it is from
	Reads   Reads    // what it can read
	Needs   Reads    // what it does not go without
	Takes   []string // the fields of Settings that it takes beside those that all do
	// Silent says why a fit may leave out features of voters that the kind reads.
	Silent string
	// Joint reports whether models of the kind are Joint, so that what to ask somebody
	// next can be chosen by how utilities vary together.
	Joint bool
	// Weighs reports whether features that come in kinds, as those of text do, have
	// weights in place of a kernel, unless one is asked for.
	Weighs bool
	// AutoVotes is the number of votes up to which auto may take the kind, negative
	// where it never does, or only made of others.
	AutoVotes int
	// AutoPrior is the number of held-out votes that speak for the kind beforehand in what auto
	// averages. A population has most: one taste for all and tastes in factors are among its forms.
	AutoPrior float64
	// Yardstick reports whether other models are measured against it.
	Yardstick bool

	// trial changes settings for trials of auto, which must not take long; nil: none.
	trial func(*palate.Dataset, *Settings)
	fit   func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error)
	open  func(z *zip.Reader, header []byte) (Model, error)
	// departs says how voters depart from the consensus in votes that Simulate draws;
	// nil where it does not draw from this kind.
	departs *departure
}

// Numbers of votes up to which auto takes a kind: any, and none; and what stands for a kind
// that is made of others between which it does not decide.
const (
	always    = math.MaxInt
	never     = -1
	undecided = -2
)

// ofFeatures are the settings of kinds with a kernel over features.
func ofFeatures(others ...string) []string { return append([]string{"Features", "Lengths"}, others...) }

// Catalogue returns every kind of model, simple ones before those with more in them.
func Catalogue() []Entry {
	single := Entry{
		Name: "single", About: "one utility for all voters, independent or a Gaussian process over features",
		For: "one ranking", From: "CROWD §3.1, DRAFT",
		Reads: Voters | ItemFeatures | ItemLinks | Ties | Weights | Answers | VoteProperties,
		Takes: ofFeatures("Smoothness", "Inducing", "Pooled", "Rule", "Likelihood", "ScalePrior", "Steps", "LinkKernel"),
		// What voters share changes little of what is said of votes, and takes most of the time;
		// unless voters give answers again and again, which are not as many.
		trial: func(d *palate.Dataset, s *Settings) { s.Pooled = s.Pooled || !repetitive(d) },
		Joint: true, AutoVotes: always, AutoPrior: 8, fit: fitSingle, departs: &departure{},
		open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadSingle(z, header)) },
	}
	linked := single
	linked.Name, linked.About = "linked", "one utility for all voters, alike along links between items"
	linked.For, linked.From, linked.Needs, linked.departs = "graphs of pages, papers", "LINK", ItemLinks, nil
	moving := Entry{
		Name: "moving", About: "one utility for all voters that moves in time, as far as votes say so",
		For: "how items stand now, and how they got there", From: "Dangauthier and others 2008, Maystre and others 2019",
		Reads: Ties | Weights | Times | ItemLinks, Needs: Times, Takes: []string{"Likelihood", "Periods"}, Joint: true, AutoVotes: never, fit: fitMoving,
		open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadMoving(z, header)) },
	}
	glicko := Entry{
		Name: "glicko", About: "ratings, each item by its own votes, one after the other",
		For: "to compare with", From: "Glickman 1999", Reads: Ties | Times, Joint: true, AutoVotes: never, Yardstick: true,
		fit:  fitGlicko(Glickman),
		open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadGlicko(z, header)) },
	}
	diagonal := glicko
	diagonal.Name, diagonal.About, diagonal.From = "diagonal", "ratings by the step of linked, each item by its own votes", "LINK"
	diagonal.Reads, diagonal.Yardstick, diagonal.fit = Times, false, fitGlicko(Diagonal)
	bt := Entry{
		Name: "bt", Aliases: []string{"bradley-terry"}, About: "one score for all voters, the most likely under a ridge that is learnt (Bradley–Terry)",
		For: "to compare with", From: "Bradley and Terry 1952", Reads: Ties | Weights, AutoVotes: never, Yardstick: true,
		fit: func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
			return asModel(FitBradleyTerry(ctx, d, &BradleyTerryOptions{Progress: s.Progress}))
		},
		open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadLogit(z, header)) },
	}
	luce := bt
	luce.Name, luce.Aliases, luce.About = "plackett-luce", []string{"pl"}, "one score for all voters, of rankings as choices one after the other (Plackett–Luce)"
	luce.For, luce.From = "rankings and choices by the logit family", "Luce 1959, Plackett 1975"
	luce.Reads, luce.Yardstick = Ties|Weights|Answers, false
	luce.fit = func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
		return asModel(FitPlackettLuce(ctx, d, &PlackettLuceOptions{Whole: s.Whole, Progress: s.Progress}))
	}
	return []Entry{
		single,
		linked,
		moving,
		{
			Name: "population", About: "a utility for each voter, by own tastes, factors and segments of a population",
			For: "personal rankings, recommending", From: "COLLAB, generalised",
			Reads:  Voters | ItemFeatures | UserFeatures | UserLinks | Ties | Weights | Answers,
			Needs:  Voters,
			Takes:  ofFeatures("VoterFeatures", "Factors", "HoldOut", "Checkpoint", "CheckpointEvery", "MaxMemory", "Plan", "Votes"),
			Silent: "with fewer than 1,000 voters they do more harm than good", Joint: true, AutoVotes: 100_000, AutoPrior: 16,
			fit: fitPopulation, departs: &departure{Shared: 0.5, Own: 0.5},
			open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadPopulation(z, header)) },
		},
		{
			Name: "ratings", About: "a consensus and factors of taste of people who rate items, by cut points, offsets and spreads",
			For: "ratings of items, with votes or without; expected ratings", From: "McCullagh 1980 (ordered classes), CROWD §2.3",
			Reads: Voters | Ties | Weights | Ratings, Needs: Voters | Ratings, Takes: []string{"Factors", "Scale"}, AutoVotes: never,
			fit: func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
				return asModel(FitRated(ctx, d, &RatedOptions{Scale: s.Scale, Factors: s.Factors, Seed: s.Seed, Progress: s.Progress}))
			},
			open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadRated(z, header)) },
		},
		{
			Name: "crowd", About: "a consensus and factors of taste by which voters differ",
			For: "the consensus of people who differ", From: "CROWD §3.2",
			Reads:  Voters | ItemFeatures | UserFeatures | Ties | Weights | Answers,
			Needs:  Voters,
			Takes:  ofFeatures("Smoothness", "Inducing", "ScalePrior", "Steps", "Factors", "Tastes", "Nugget", "Reliability", "Habits", "Quick"),
			Silent: "they tell of factors of taste, and the crowd has none", Weighs: true, AutoVotes: 20_000, AutoPrior: 4,
			// Its form is chosen when it is fitted to all votes: to try that too would take long.
			trial: func(_ *palate.Dataset, s *Settings) { s.Tastes, s.Smoothness, s.Quick = NarrowTastes, Rough, true },
			fit:   fitCrowdBy, departs: &departure{Shared: 1},
			open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadCrowd(z, header)) },
		},
		{
			Name: "average", About: "models that votes do not tell apart, each with its weight; by itself halves of single and population",
			For: "votes that leave open how far voters differ", From: "Yao and others 2018 (stacking)",
			Reads: Voters | ItemFeatures | UserFeatures | Ties | Weights | Answers, Needs: Voters, Takes: []string{"Parts"}, AutoVotes: undecided,
			Silent: "the parts leave them out",
			fit:    fitAverage,
			open:   func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadAverage(z, header)) },
		},
		{
			Name: "joint", Aliases: []string{"tensor"}, About: "a utility for each voter, a Gaussian process over voters × items; up to 6,000 cells",
			For: "to compare with", From: "COLLAB (GPfull), CROWD",
			Reads: Voters | ItemFeatures | UserFeatures | Weights, Needs: Voters, Takes: []string{"Rule"}, AutoVotes: never,
			fit: func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
				return asModel(FitTensor(ctx, d, &TensorOptions{Rule: s.Rule}))
			},
			open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadTensor(z, header)) },
		},
		{
			Name: "duels", About: "one utility for all voters over features, in the space of the votes; up to 3,000 votes",
			For: "votes between vectors that do not recur", From: "EPNOTE",
			Reads: ItemFeatures | Weights, Needs: ItemFeatures, Takes: []string{"Features", "Rule", "ScalePrior", "Formulation"}, AutoVotes: never,
			fit: func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
				return asModel(FitDuelVotes(ctx, d, &DuelOptions{Features: *cmp.Or(s.Features, &FeatureKernel{}), ScalePrior: s.ScalePrior, Formulation: s.Formulation, Rule: s.Rule, Seed: s.Seed, Progress: s.Progress}))
			},
			open: func(z *zip.Reader, header []byte) (Model, error) { return asModel(loadDuels(z, header)) },
		},
		bt,
		luce,
		glicko,
		diagonal,
	}
}

// Find returns the entry with a name or alias.
func Find(name string) (Entry, error) {
	var names []string
	for _, e := range Catalogue() {
		if e.Name == name || slices.Contains(e.Aliases, name) {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Entry{}, fmt.Errorf("model: there is no model %q; there are %s", name, strings.Join(names, ", "))
}

// Fit fits a model of the kind to the votes of d. It refuses settings that the kind
// does not take, and votes without what it needs. When ctx ends before it is done it
// returns the error of ctx.
func (e Entry) Fit(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
	if s == nil {
		s = &Settings{}
	}
	if err := e.check(d, s); err != nil {
		return nil, err
	}
	if s.Whole && d.HasGroups() && e.Reads.Has(Weights) && !e.Reads.Has(Answers) {
		d = d.Tempered()
	}
	m, err := e.fit(ctx, d, s)
	if err != nil {
		return nil, err
	}
	b := m.(interface{ base() *Base }).base()
	if m.Reads().Has(ItemFeatures) {
		b.ItemEncoder = s.ItemEncoder
	}
	if m.Reads().Has(UserFeatures) {
		b.UserEncoder = s.UserEncoder
	}
	return m, nil
}

// Trial returns settings for a fit that is only to see how the kind does on some of the
// votes of d, and must not take long.
func (e Entry) Trial(d *palate.Dataset, s Settings) Settings {
	s.Progress = nil
	if e.trial != nil {
		e.trial(d, &s)
	}
	return s
}

// Personal reports whether the kind has utilities for each voter.
func (e Entry) Personal() bool { return e.Needs.Has(Voters) }

// Accepts reports whether the kind takes a field of Settings.
func (e Entry) Accepts(field string) bool {
	switch field {
	case "Seed", "Progress", "Whole", "ItemEncoder", "UserEncoder":
		return true
	case "Links":
		return e.Reads.Has(ItemLinks)
	case "UserLinks":
		return e.Reads.Has(UserLinks)
	}
	return slices.Contains(e.Takes, field)
}

// Only returns the settings that the kind takes, without the others.
func (e Entry) Only(s Settings) Settings {
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		if !e.Accepts(v.Type().Field(i).Name) {
			v.Field(i).SetZero()
		}
	}
	return s
}

// check refuses settings and votes that are not for the kind.
func (e Entry) check(d *palate.Dataset, s *Settings) error {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if field := v.Type().Field(i).Name; !v.Field(i).IsZero() && !e.Accepts(field) {
			return fmt.Errorf("model: %s has no use for the setting %s", e.Name, field)
		}
	}
	f := d.ItemFeatures()
	switch {
	case e.Needs.Has(Voters) && d.NumUsers() == 0:
		return fmt.Errorf("model: %s tells voters apart, but the votes name none: say who voted, or use single", e.Name)
	case e.Needs.Has(ItemFeatures) && (f == nil || f.Cols == 0):
		return fmt.Errorf("model: %s are between vectors, and the items have no features", e.Name)
	case e.Needs.Has(Times) && !d.HasTimes():
		return fmt.Errorf("model: %s takes the times of votes, and none has one: say when votes were cast, or use single", e.Name)
	case e.Needs.Has(Ratings) && !d.HasRatings():
		return fmt.Errorf("model: %s reads ratings of items, and there are none: use population for votes between items", e.Name)
	case !e.Reads.Has(Ratings) && d.HasRatings():
		return fmt.Errorf("model: %s reads votes between items, not ratings: compare them in pairs, or use ratings", e.Name)
	case e.Needs.Has(ItemLinks) && s.Links == nil:
		return fmt.Errorf("model: %s needs links between items", e.Name)
	}
	return nil
}
