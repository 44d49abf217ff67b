package main

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/evaluate"
	"palate/internal/cli"
	"palate/model"
)

// settings are the flags of how to fit a model.
type settings struct {
	model                             string
	purpose                           string // what --model auto is to be good at
	rule, likelihood, lengths, kernel string
	combine, duels                    string
	inducing                          int
	scalePrior                        gammaFlag
	pooled                            bool
	unit                              string // column by which votes hang together
	context                           contexts
	seed                              uint64
	items, users                      string
	newItems                          bool
	skipBad                           bool
	reading
	keep     string                // column whose text goes with every vote
	per      []string              // columns whose categories stand in the place of voters
	perVoter bool                  // --model auto is bound to models that tell voters apart
	ruled    bool                  // a rule was asked for
	voters   bool                  // features of voters take part, however few there are
	idle     error                 // of flags about features, unless votes bring them along
	rankings string                // how votes of one answer count
	wants    func(*voteData) error // what a command wants of votes before a model is fitted to them; nil: nothing
	mentions []mention             // that have to be in the votes
	pairing
	rated
	vectors string // of the rows of items
	linkFiles
	learning
	stepping
	over
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

// flags adds the flags, with the model to take when none is asked for.
func (s *settings) flags(cmd *cobra.Command, usual string) {
	f := cmd.Flags()
	f.StringVar(&s.model, "model", usual, "`MODEL`: "+modelHelp())
	f.StringVar(&s.purpose, "for", purposes()[0].word, "for --model auto: `WHAT` the model is to be good at, which is held out to choose by: votes (new ones of known voters), voters (new ones) or items (new ones)")
	f.StringVar(&s.items, "items", "", "`FILE` of items: id and feature columns (numbers, words, yes/no)")
	vectorsFlag(cmd, &s.vectors)
	f.StringVar(&s.users, "users", "", "`FILE` of voters: id and feature columns, for "+modelsFor("users"))
	f.BoolVar(&s.voters, "voter-features", false, "for "+modelsFor("voter-features")+": let the features of --users take part however few voters there are; below 1,000 they predict votes no better, but palate explain --voters needs them")
	f.BoolVar(&s.newItems, "new-items", false, "take in items of --items or --links that no vote names, too: features and links tell their place")
	s.linkFiles.flags(cmd)
	f.StringVar(&s.userLinks, "user-links", "", "`FILE` of links between voters, as of --links, for "+modelsFor("user-links")+": who is linked is alike")
	induceFlag(cmd, &s.induce)
	s.crowdFlags.flags(cmd)
	s.reading.flags(cmd)
	f.BoolVar(&s.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.BoolVar(&s.pooled, "pooled", false, "for "+modelsFor("pooled")+": take the votes of one voter to be as independent as those of different ones")
	f.StringVar(&s.unit, "unit", "", "for "+modelsFor("unit")+": `NAME` of the column by which votes hang together, such as a sitting or a document, in place of the voter")
	perFlag(cmd, &s.per)
	f.Var(&s.context, "context", "for "+modelsFor("context")+": a property that bears on votes beside the items, by its `COLUMN`, or two of the left and the right item, as in length_left,length_right: scores are at equal length; given again, all bear; see palate help votes")
	f.StringVar(&s.rule, "rule", "ep", "`RULE` of inference: "+words(rules())+"; --model joint is by laplace unless one is given")
	f.StringVar(&s.likelihood, "likelihood", "probit", "`NOISE` of a vote: "+words(likelihoods()))
	f.StringVar(&s.kernel, "kernel", "matern32", "`KERNEL` over features: "+words(kernels())+"; single and linked settle kernel and length-scales by the evidence, beside a linear term, unless this, --combine or --lengths is given")
	f.StringVar(&s.combine, "combine", "euclidean", "`HOW` the kernel puts features together: euclidean (by their distance), product (of a kernel for each: alike in all) or sum (alike in some)")
	f.StringVar(&s.lengths, "lengths", "median", "`HOW` to set length-scales of features: median (of distances that are not zero, times √D for D features), median-times-d (of all, times D, as CROWD has it), median-over-d (divided by D, as its draft), median-reference (as its authors' code), learnt")
	f.IntVar(&s.inducing, "inducing", 0, "`NUMBER` of inducing points, for many items with features (0: as needed)")
	f.Var(&s.scalePrior, "scale-prior", "Gamma prior of the inverse scales of utilities, `SHAPE,RATE`, in place of a prior that has room for votes like coins")
	s.stepping.flags(cmd)
	s.over.flags(cmd)
	f.StringVar(&s.rankings, "rankings", "whole", "`HOW` rankings, choices and other answers about several items count: whole (as one answer; models that cannot take it as such weigh its pairs, 2/k of a vote each for k ranked items) or pairs (as votes of their own)")
	completes(cmd, "rankings", "whole", "pairs")
	s.pairing.flags(cmd)
	s.rated.flags(cmd)
	f.Uint64Var(&s.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	f.StringVar(&s.duels, "duels", duelForms()[0].word, "for "+modelsFor("duels")+": `FORM` of the noise, to the same result: "+words(duelForms()))
	completes(cmd, "duels", wordsOf(duelForms())...)
	takes(cmd, "model", fittable(), func(word string) bool {
		_, err := model.Find(word)
		return err == nil || word == "auto"
	})
	completes(cmd, "for", wordsOf(purposes())...)
	completes(cmd, "rule", wordsOf(rules())...)
	completes(cmd, "likelihood", wordsOf(likelihoods())...)
	completes(cmd, "kernel", wordsOf(kernels())...)
	completes(cmd, "combine", wordsOf(combinations())...)
	completes(cmd, "lengths", wordsOf(lengthScales())...)
}

// perFlag is for commands that tell voters apart.
func perFlag(cmd *cobra.Command, to *[]string) {
	cmd.Flags().StringSliceVar(to, "per", nil, "categories of votes in the place of voters, by this `COLUMN`, such as language, or by what several say together, with commas between; with --users by columns of that table, so that voters are taken together who are alike there: each has a board of its own, drawn to that of all as far as its votes leave open")
}

// vectorsFlag is for commands that read tables of items.
func vectorsFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "vectors", "", "`FILE` of embeddings, a NumPy array (.npy) with a row for each row of --items")
}

// ofFit are the flags that have a meaning only when there is something to fit.
func ofFit() []string {
	return slices.Concat([]string{"kernel", "combine", "lengths", "inducing", "rule", "likelihood", "scale-prior", "model", "for", "unit", "per", "context", "rankings", "max-pairs", "lower-is-better", "scale", "classes", "numbers", "duels", "users", "voter-features", "user-links", "link-kernel", "smoothness", "factors", "over", "zone"}, ofReading(), ofSteps(), ofCrowd())
}

// ofFeatures are the flags that have a meaning only when items have features.
func ofFeatures() []string { return append(ofKernel(), "smoothness", "inducing", "new-items") }

// ofKernel are the flags of the kernel over features.
func ofKernel() []string { return []string{"kernel", "combine", "lengths"} }

// without refuses flags that would have no effect.
func without(cmd *cobra.Command, flags []string, why string) error {
	for _, name := range flags {
		if cmd.Flags().Changed(name) {
			return cli.Usage("--%s has no effect: %s", name, why)
		}
	}
	return nil
}

// options turns flags into options.
func (s *settings) options(cmd *cobra.Command) (*model.Settings, error) {
	if err := s.checkModel(cmd); err != nil {
		return nil, err
	}
	return s.settled(cmd)
}

// settled turns flags into options, whatever the model.
func (s *settings) settled(cmd *cobra.Command) (*model.Settings, error) {
	if s.items == "" {
		idle := ofFeatures()
		if s.links != "" { // these place new items, and the model says why there are no inducing points
			idle = append(ofKernel(), "smoothness")
		}
		s.idle = without(cmd, idle, "it is about features of items, and there are none without --items")
	}
	if s.vectors != "" && s.items == "" {
		return nil, cli.Usage("--vectors has no effect: it goes with the rows of --items")
	}
	if s.voters && s.users == "" {
		return nil, cli.Usage("--voter-features has no effect: there are none without --users")
	}
	if s.inducing < 0 {
		return nil, cli.Usage("--inducing %d is negative", s.inducing)
	}
	o := &model.Settings{Inducing: s.inducing, Seed: s.seed, Whole: s.rankings == "whole"}
	rule, err := choose("rule", s.rule, rules())
	if err != nil {
		return nil, err
	}
	if s.ruled = cmd.Flags().Changed("rule"); s.ruled {
		o.Rule = rule
	}
	if o.Likelihood, err = choose("likelihood", s.likelihood, likelihoods()); err != nil {
		return nil, err
	}
	if s.rule == "jaakkola" && o.Likelihood != model.Logit {
		return nil, cli.Usage("--rule jaakkola needs --likelihood logit")
	}
	how, err := choose("lengths", s.lengths, lengthScales())
	if err != nil {
		return nil, err
	}
	features := model.FeatureKernel{Median: how.median}
	o.Lengths = how.how
	if features.Shape, err = choose("kernel", s.kernel, kernels()); err != nil {
		return nil, err
	}
	if features.Combination, err = choose("combine", s.combine, combinations()); err != nil {
		return nil, err
	}
	if without(cmd, ofKernel(), "") != nil {
		o.Features = &features
	}
	if o.LinkKernel, err = s.spread(); err != nil {
		return nil, err
	}
	if s.links == "" {
		if err := without(cmd, []string{"link-kernel"}, "there are no links without --links"); err != nil {
			return nil, err
		}
	}
	if err := s.stepping.check(cmd); err != nil {
		return nil, err
	}
	if o.Periods, err = s.over.periods(cmd); err != nil {
		return nil, err
	}
	if o.Pooled = s.pooled; s.voters {
		o.VoterFeatures = model.WithFeatures
	}
	o.ScalePrior, o.Steps = s.scalePrior.Gamma, model.Steps{Batch: s.batch, Delay: s.delay, Forget: s.forget}
	if o.Formulation, err = choose("duels", s.duels, duelForms()); err != nil {
		return nil, err
	}
	if err := s.crowdFlags.options(o); err != nil {
		return nil, err
	}
	if err := s.rated.options(cmd, &s.pairing, o); err != nil {
		return nil, err
	}
	return o, s.learning.options(cmd, o)
}

// decide makes --model auto a model, and says which and why.
func (s *settings) decide(ctx context.Context, v *voteData, o *model.Settings, c *cli.Console) error {
	all := *o
	all.Links, all.UserLinks = v.links, v.userLinks
	by, err := choose("for", cmp.Or(s.purpose, purposes()[0].word), purposes())
	if err != nil {
		return err
	}
	choice, err := evaluate.Choose(ctx, v.data, &evaluate.ChooseOptions{Settings: all, PerVoter: s.perVoter, By: by})
	if err != nil {
		return err
	}
	s.model, *o = choice.Model, choice.Settings
	if choice.Settings.Links == nil {
		v.links = nil // the evidence is against them, or the model does not read them
	}
	c.Note("--model auto took %s", choice.Why)
	return nil
}

// checkModel refuses models that are not there, and flags that the model has no
// use for.
func (s *settings) checkModel(cmd *cobra.Command) error {
	s.model = s.over.moves(cmd, s.model)
	if s.model == "auto" {
		if _, err := choose("for", s.purpose, purposes()); err != nil {
			return err
		}
		return s.checkAuto(cmd)
	}
	e, err := model.Find(s.model)
	if err != nil {
		return notOneOf("--model", s.model, fittable())
	}
	if cmd.Flags().Changed("for") {
		return cli.Usage("--for has no effect: it says what --model auto chooses by, and the model is %s", e.Name)
	}
	s.model = e.Name
	if m, ok := idle(cmd, e); ok {
		return cli.Usage("--%s has no effect: --model %s has no use for it; it is for %s", cmp.Or(m.said, m.flag), e.Name, m.models())
	}
	if e.Needs.Has(model.ItemLinks) && s.links == "" {
		return cli.Usage("--model %s needs --links FILE", e.Name)
	}
	if s.factors < 0 {
		return cli.Usage("--factors %d is negative; --tastes own goes without", s.factors)
	}
	if s.lengths == "learnt" && (s.batch > 0 || s.nugget) && e.Accepts("Nugget") {
		return cli.Usage("--lengths learnt takes whole sweeps and no --nugget: leave out --batch and --nugget")
	}
	return s.learning.check(cmd)
}

// checkAuto sees which models auto may take under the flags that were given: where it
// is one that is not for all votes, there is nothing to choose. Links are taken in by
// those that read them.
func (s *settings) checkAuto(cmd *cobra.Command) error {
	var given, left []string
	for _, m := range meanings() {
		if !cmd.Flags().Changed(m.flag) {
			continue
		}
		given = append(given, "--"+m.flag)
		if m := meaningOf(cmd, m); len(namesWhere(func(e model.Entry) bool { return e.AutoVotes >= 0 && m.concerns(e) })) == 0 {
			return cli.Usage("--%s has no effect: --model auto takes no model that has use for it; it is for %s", cmp.Or(m.said, m.flag), m.models())
		}
	}
	for _, e := range model.Catalogue() {
		m, ok := idle(cmd, e)
		for _, optional := range []string{"items", "vectors", "users", "links", "user-links"} {
			ok = ok && m.flag != optional
		}
		if e.AutoVotes >= 0 && !ok && (s.links != "" || !e.Needs.Has(model.ItemLinks)) {
			left = append(left, e.Name)
		}
	}
	switch {
	case len(left) == 0:
		return cli.Usage("%s: --model auto takes no model that has use for all of them; name one with --model", strings.Join(given, " "))
	case len(left) == 1 && left[0] != "single":
		s.model = left[0]
		return s.checkModel(cmd)
	}
	return s.learning.check(cmd)
}

// together refuses flags about votes that exclude each other.
func (s *settings) together() error {
	switch {
	case s.unit != "" && s.pooled:
		return cli.Usage("--unit and --pooled exclude each other: votes hang together or not")
	case s.unit != "" && s.onDisk != "":
		return cli.Usage("--unit has no effect on votes on disk")
	case len(s.context) > 0 && s.onDisk != "":
		return cli.Usage("--context has no effect on votes on disk")
	case len(s.per) > 0 && (s.userLinks != "" || s.onDisk != ""):
		return cli.Usage("--per puts categories in the place of voters: it goes without --user-links and --on-disk")
	}
	return nil
}
