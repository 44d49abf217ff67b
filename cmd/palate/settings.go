package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate"
	"palate/evaluate"
	"palate/infer"
	"palate/ingest"
	"palate/kernel"
	"palate/model"
	"palate/population"
	"palate/report"
)

// settings are the flags of how to fit a model.
type settings struct {
	model                             string
	rule, likelihood, lengths, kernel string
	inducing                          int
	seed                              uint64
	items, users                      string
	newItems                          bool
	skipBad                           bool
	keep                              string        // column whose text goes with every vote
	oneUtility, perVoter              bool          // what --model auto is bound to
	prior                             kernel.Kernel // over features, as --model auto chose it for a crowd or a population
	rankings                          string        // how votes of one answer count
	vectors                           string        // of the rows of items
	linkFiles
	learning
	crowdFlags
	userLinks string
	induce    string // how links place new items of a model
}

// tables are the files that the flags name.
func (s *settings) tables() []string {
	return []string{s.items, s.vectors, s.users, s.links, s.userLinks}
}

// growth is what the flags add to a model that is fitted already.
func (s *settings) growth() growth {
	return growth{items: s.items, vectors: s.vectors, links: s.links, newItems: s.newItems, skipBad: s.skipBad, induce: s.induce}
}

// rules are what --rule may say.
func rules() []choice[infer.Rule] {
	return []choice[infer.Rule]{
		{"ep", infer.EP{}}, {"vi", infer.VI{}}, {"laplace", infer.Laplace{}}, {"linearised", infer.Linearised{}}, {"jaakkola", infer.Jaakkola{}},
	}
}

func likelihoods() []choice[model.Likelihood] {
	return []choice[model.Likelihood]{{"probit", model.Probit}, {"logit", model.Logit}}
}

func lengths() []choice[model.Lengths] {
	return []choice[model.Lengths]{{"median", model.MedianLengths}, {"learnt", model.LearntLengths}}
}

func kernels() []choice[kernel.Shape] {
	return []choice[kernel.Shape]{{"matern32", kernel.Matern32}, {"matern12", kernel.Matern12}, {"matern52", kernel.Matern52}, {"se", kernel.SE}}
}

// choice is a word of the command line and what it stands for.
type choice[T any] struct {
	word  string
	value T
}

func words[T any](choices []choice[T]) string { return strings.Join(wordsOf(choices), ", ") }

func wordsOf[T any](choices []choice[T]) (w []string) {
	for _, c := range choices {
		w = append(w, c.word)
	}
	return w
}

func choose[T any](flag, word string, choices []choice[T]) (T, error) {
	for _, c := range choices {
		if c.word == word {
			return c.value, nil
		}
	}
	var zero T
	return zero, usage("--%s %q is not one of %s", flag, word, words(choices))
}

// flags adds the flags, with the model to take when none is asked for.
func (s *settings) flags(cmd *cobra.Command, model string) {
	f := cmd.Flags()
	f.StringVar(&s.model, "model", model, "`MODEL`: auto (chosen by what the votes hold), single (one utility for all\nvoters), linked (the same with --links), population (a utility for each\nvoter), crowd (a consensus and factors of taste), joint (a process over\nvoters × items, for few votes), bt (Bradley–Terry with a ridge), glicko (ratings,\neach item by its own votes), diagonal (the same by the step of linked), or a member of the paper's family: "+strings.Join(families(), ", "))
	f.StringVar(&s.items, "items", "", "`FILE` of items: id and feature columns (numbers, words, yes/no)")
	vectorsFlag(cmd, &s.vectors)
	f.StringVar(&s.users, "users", "", "`FILE` of voters: id and feature columns, for --model crowd, population or joint")
	f.BoolVar(&s.newItems, "new-items", false, "take in items of --items or --links that no vote names, too: features and\nlinks tell their place")
	s.linkFiles.flags(cmd)
	f.StringVar(&s.userLinks, "user-links", "", "`FILE` of links between voters, as of --links, for --model population: who is\nlinked is alike")
	induceFlag(cmd, &s.induce)
	s.crowdFlags.flags(cmd)
	f.BoolVar(&s.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.StringVar(&s.rule, "rule", "ep", "`RULE` of inference: "+words(rules()))
	f.StringVar(&s.likelihood, "likelihood", "probit", "`NOISE` of a vote: "+words(likelihoods()))
	f.StringVar(&s.kernel, "kernel", "matern32", "`KERNEL` over features: "+words(kernels()))
	f.StringVar(&s.lengths, "lengths", "median", "`HOW` to set length-scales of features: "+words(lengths()))
	f.IntVar(&s.inducing, "inducing", 0, "`NUMBER` of inducing points, for many items with features (0: as needed)")
	f.StringVar(&s.rankings, "rankings", "whole", "`HOW` the pairs of a ranking count: whole (as the ranking they tell: 2/k of a\nvote each for k items) or pairs (as votes of their own)")
	f.Uint64Var(&s.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	completes(cmd, "model", fittable()...)
	completes(cmd, "rule", wordsOf(rules())...)
	completes(cmd, "likelihood", wordsOf(likelihoods())...)
	completes(cmd, "kernel", wordsOf(kernels())...)
	completes(cmd, "lengths", wordsOf(lengths())...)
}

// vectorsFlag is for commands that read tables of items.
func vectorsFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "vectors", "", "`FILE` of embeddings, a NumPy array (.npy) with a row for each row of --items")
}

// ofFit are the flags that have a meaning only when there is something to fit.
func ofFit() []string {
	return []string{"kernel", "lengths", "inducing", "rule", "likelihood", "model", "rankings", "users", "user-links"}
}

// ofSingle are the flags that only a single model has.
func ofSingle() []string {
	return append(ofFeatures(), "rule", "likelihood", "links")
}

// ofFeatures are the flags that have a meaning only when items have features.
func ofFeatures() []string { return []string{"kernel", "lengths", "inducing", "new-items"} }

// without refuses flags that would have no effect.
func without(cmd *cobra.Command, flags []string, why string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return usage("--%s has no effect: %s", name, why)
		}
	}
	return nil
}

// options turns flags into options.
func (s *settings) options(cmd *cobra.Command) (*model.Options, error) {
	if err := s.checkModel(cmd); err != nil {
		return nil, err
	}
	return s.settled(cmd)
}

// settled turns flags into options, whatever the model.
func (s *settings) settled(cmd *cobra.Command) (*model.Options, error) {
	if s.items == "" && s.links == "" {
		if err := without(cmd, ofFeatures(), "it is about features of items, and there are none without --items"); err != nil {
			return nil, err
		}
	}
	if s.vectors != "" && s.items == "" {
		return nil, usage("--vectors has no effect: it goes with the rows of --items")
	}
	if !slices.Contains([]string{"whole", "pairs"}, s.rankings) {
		return nil, usage("--rankings %q is not one of whole, pairs", s.rankings)
	}
	if s.inducing < 0 {
		return nil, usage("--inducing %d is negative", s.inducing)
	}
	o := &model.Options{Inducing: s.inducing, Seed: s.seed}
	var err error
	if o.Rule, err = choose("rule", s.rule, rules()); err != nil {
		return nil, err
	}
	if o.Likelihood, err = choose("likelihood", s.likelihood, likelihoods()); err != nil {
		return nil, err
	}
	if s.rule == "jaakkola" && o.Likelihood != model.Logit {
		return nil, usage("--rule jaakkola needs --likelihood logit")
	}
	if o.Lengths, err = choose("lengths", s.lengths, lengths()); err != nil {
		return nil, err
	}
	o.Shape, err = choose("kernel", s.kernel, kernels())
	return o, err
}

// families are the members of the paper's family.
func families() (names []string) {
	for _, f := range population.Families() {
		names = append(names, f.Name)
	}
	return names
}

// fittable are the models that --model may name.
func fittable() []string {
	return append([]string{"auto", "single", "linked", "population", "crowd", "joint", "bt", "glicko", "diagonal"}, families()...)
}

// known reports whether there is such a model.
func (s *settings) known() bool { return slices.Contains(fittable(), s.model) }

// decide makes --model auto a model, and says which and why.
func (s *settings) decide(ctx context.Context, v *ballots, o *model.Options, c *console) error {
	single := *o
	single.Links = v.links
	choice, err := evaluate.Choose(ctx, v.data, &evaluate.ChooseOptions{
		Single: &single, UserLinks: v.userLinks, FixedKernel: s.oneUtility, OneUtility: s.oneUtility, PerVoter: s.perVoter, Seed: s.seed,
	})
	if err != nil {
		return err
	}
	s.model, o.Shape, s.factors, s.prior = choice.Model, choice.Shape, choice.Factors, choice.Kernel
	if s.model == "single" {
		v.links = nil // the evidence is against them
	}
	c.note("--model auto took %s", choice.Why)
	if (v.userEncoder != nil || v.userLinks != nil) && s.model != "population" {
		c.note("features and links of voters have no effect on this model; --model population reads them")
	}
	return nil
}

// checkModel refuses models that are not there, and flags that the model has no
// use for.
func (s *settings) checkModel(cmd *cobra.Command) error {
	if s.model != "crowd" {
		if err := without(cmd, ofCrowd(), "it is about --model crowd"); err != nil {
			return err
		}
	}
	switch s.model {
	case "auto":
		for _, name := range ofSingle() {
			s.oneUtility = s.oneUtility || name != "links" && cmd.Flags().Changed(name)
		}
		if without(cmd, ofLearning(), "") != nil { // these leave no choice
			s.model = "population"
			return s.checkModel(cmd)
		}
		return nil
	case "single":
	case "linked": // single, with links
		if s.links == "" {
			return usage("--model linked needs --links FILE")
		}
	case "joint":
		return without(cmd, slices.Concat(ofSingle(), ofLearning(), []string{"user-links"}), "it is not for --model joint")
	case "glicko", "diagonal":
		return without(cmd, append(append(ofSingle(), ofLearning()...), "items", "users", "user-links"), "--model "+s.model+" rates every item by its own votes only")
	case "crowd":
		if err := without(cmd, ofLearning(), "it is about --model population"); err != nil {
			return err
		}
		if s.userLinks != "" {
			return usage("--user-links has no effect: --model crowd reads features of voters, but no links between them; --model population does")
		}
		return without(cmd, []string{"kernel", "rule", "likelihood", "links"}, "it is about --model single")
	case "bt":
		return without(cmd, slices.Concat(ofSingle(), ofLearning(), []string{"items", "vectors", "users", "user-links"}), "Bradley–Terry knows nothing but votes")
	default:
		if !s.known() {
			return usage("--model %q is unknown; use --model single, crowd or population", s.model)
		}
		if s.model == "population" {
			others := slices.DeleteFunc(ofSingle(), func(name string) bool { return name == "lengths" })
			if err := without(cmd, others, "it is about --model single"); err != nil {
				return err
			}
			return s.learning.check(cmd)
		}
		if err := without(cmd, ofSingle(), "it is about --model single"); err != nil {
			return err
		}
		if s.userLinks != "" {
			return usage("--user-links has no effect: %s, as published, knows nothing of voters but their votes; --model population reads links between them", s.model)
		}
		return without(cmd, ofLearning(), "it is about --model population")
	}
	if err := without(cmd, ofLearning(), "it is about --model population"); err != nil {
		return err
	}
	return without(cmd, []string{"users", "user-links"}, "--model "+s.model+" has one utility for all voters")
}

// fit fits the model that the flags ask for. After an interrupt the error is
// errInterrupted, and the model may be nil.
func (s *settings) fit(ctx context.Context, v *ballots, o *model.Options, c *console) (model.Model, error) {
	if s.rankings == "whole" && v.data.HasGroups() && v.spool == nil && s.model != "glicko" {
		tempered := *v
		tempered.data = v.data.Tempered()
		v = &tempered
	}
	if s.model == "auto" {
		c.start("choosing a model", -1)
		if err := s.decide(ctx, v, o, c); err != nil {
			c.clear()
			if ctx.Err() != nil {
				err = errInterrupted
			}
			return nil, err
		}
	}
	fit := s.fitPopulation
	switch s.model {
	case "", "single", "linked":
		fit = s.fitSingle
	case "crowd":
		fit = s.fitCrowd
	case "joint":
		fit = s.fitJoint
	case model.Glickman.String(), model.Diagonal.String():
		fit = s.fitGlicko
	case "bt":
		fit = s.fitBradleyTerry
	}
	m, err := fit(ctx, v, o, c)
	c.clear()
	if ctx.Err() != nil {
		return m, errInterrupted
	}
	if err != nil {
		return nil, err
	}
	if f := m.Fit(); f.Status != infer.Converged {
		c.note("the fit did not converge: %v, last change %.2g; the numbers may be a little off", f.Status, f.Stats.Change)
	}
	return m, nil
}

// fitPopulation fits the population model, or a member of the paper's family.
func (s *settings) fitPopulation(ctx context.Context, v *ballots, fit *model.Options, c *console) (model.Model, error) {
	if err := s.needVoters(v); err != nil {
		return nil, err
	}
	o := &model.PopulationOptions{Rank: s.factors, Kernel: s.prior, Seed: s.seed, UserLinks: v.userLinks, Progress: c.fitting()}
	if s.model != "population" {
		o.Family = s.model
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
		c.note("%.3g%% of the votes were put aside and not learnt from; their loss is %.4f nats a vote", 100*s.holdOut, l)
	}
	if m.ItemEncoder, err = encoded(v.encoder); err == nil {
		m.UserEncoder, err = encoded(v.userEncoder)
	}
	return m, err
}

// fitCrowd fits a consensus and factors of taste.
func (s *settings) fitCrowd(ctx context.Context, v *ballots, o *model.Options, c *console) (model.Model, error) {
	if err := s.needVoters(v); err != nil {
		return nil, err
	}
	m, err := model.FitCrowd(ctx, v.data, &model.CrowdOptions{Crowd: s.crowdFlags.options(), Kernel: s.prior, Inducing: s.inducing, Lengths: o.Lengths, Seed: s.seed, Progress: c.fitting()})
	if m == nil {
		return nil, err
	}
	if m.ItemEncoder, err = encoded(v.encoder); err == nil {
		m.UserEncoder, err = encoded(v.userEncoder)
	}
	return m, err
}

// fitJoint fits a process over voters × items.
func (s *settings) fitJoint(ctx context.Context, v *ballots, _ *model.Options, _ *console) (model.Model, error) {
	if err := s.needVoters(v); err != nil {
		return nil, err
	}
	m, err := model.FitTensor(ctx, v.data, nil)
	if err != nil {
		return nil, err
	}
	if m.ItemEncoder, err = encoded(v.encoder); err == nil {
		m.UserEncoder, err = encoded(v.userEncoder)
	}
	return m, err
}

// fitGlicko rates items one vote after the other.
func (s *settings) fitGlicko(ctx context.Context, v *ballots, _ *model.Options, c *console) (model.Model, error) {
	o := &model.GlickoOptions{Progress: c.fitting()}
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
func (s *settings) fitBradleyTerry(ctx context.Context, v *ballots, _ *model.Options, c *console) (model.Model, error) {
	m, err := model.FitBradleyTerry(ctx, v.data, &model.BradleyTerryOptions{Progress: c.fitting()})
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
func encoded(e *ingest.Encoder) ([]byte, error) {
	if e == nil {
		return nil, nil
	}
	return json.Marshal(e)
}

// fitSingle fits one utility for all voters.
func (s *settings) fitSingle(ctx context.Context, v *ballots, o *model.Options, c *console) (model.Model, error) {
	if p := c.fitting(); p != nil {
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
	for _, v := range b.votes() {
		if v.Outcome == palate.Skip {
			f.Skips++
		}
	}
	return f
}

// describe says what is known of a model without its votes.
func describe(m model.Model) *report.Fit {
	fit := m.Fit()
	f := &report.Fit{
		Model: m.Name(), Items: m.NumItems(), Threshold: fit.Threshold,
		Likelihood: fit.Likelihood, Votes: fit.Votes, Ties: fit.Ties,
		Objective: fit.Objective, Kind: fit.Kind, Status: fit.Status.String(),
	}
	return f
}

func ruleName(word string) string {
	if slices.Contains([]string{"ep", "vi"}, word) {
		return strings.ToUpper(word)
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
