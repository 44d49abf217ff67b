package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/evaluate"
	"palate/internal/cli"
	"palate/kernel"
	"palate/model"
)

// settings are the flags of how to fit a model.
type settings struct {
	model                             string
	rule, likelihood, lengths, kernel string
	combine, duels                    string
	inducing                          int
	scalePrior                        gammaFlag
	seed                              uint64
	items, users                      string
	newItems                          bool
	skipBad                           bool
	reading
	keep                 string               // column whose text goes with every vote
	oneUtility, perVoter bool                 // what --model auto is bound to
	prior                kernel.Kernel        // over features, as --model auto chose it for a crowd or a population
	ruled                bool                 // a rule was asked for
	idle                 error                // of flags about features, unless votes bring them along
	features             *model.FeatureKernel // that flags ask for; nil: none does
	rankings             string               // how votes of one answer count
	pairing
	vectors string // of the rows of items
	linkFiles
	learning
	stepping
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
func (s *settings) flags(cmd *cobra.Command, model string) {
	f := cmd.Flags()
	f.StringVar(&s.model, "model", model, "`MODEL`: auto (chosen by what the votes hold), single (one utility for all voters), linked (the same with --links), population (a utility for each voter), crowd (a consensus and factors of taste), joint (a process over voters × items, for few votes), duels (a process over features, for few votes), bt (Bradley–Terry with a ridge), glicko (ratings, each item by its own votes), diagonal (the same by the step of linked), or one of COLLAB's family: "+strings.Join(families(), ", "))
	f.StringVar(&s.items, "items", "", "`FILE` of items: id and feature columns (numbers, words, yes/no)")
	vectorsFlag(cmd, &s.vectors)
	f.StringVar(&s.users, "users", "", "`FILE` of voters: id and feature columns, for --model crowd, population or joint")
	f.BoolVar(&s.newItems, "new-items", false, "take in items of --items or --links that no vote names, too: features and links tell their place")
	s.linkFiles.flags(cmd)
	f.StringVar(&s.userLinks, "user-links", "", "`FILE` of links between voters, as of --links, for --model population: who is linked is alike")
	induceFlag(cmd, &s.induce)
	s.crowdFlags.flags(cmd)
	s.reading.flags(cmd)
	f.BoolVar(&s.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.StringVar(&s.rule, "rule", "ep", "`RULE` of inference: "+words(rules())+"; --model joint is by laplace unless one is given")
	f.StringVar(&s.likelihood, "likelihood", "probit", "`NOISE` of a vote: "+words(likelihoods()))
	f.StringVar(&s.kernel, "kernel", "matern32", "`KERNEL` over features: "+words(kernels()))
	f.StringVar(&s.combine, "combine", "euclidean", "`HOW` the kernel puts features together: euclidean (by their distance), product (of a kernel for each: alike in all) or sum (alike in some)")
	f.StringVar(&s.lengths, "lengths", "median", "`HOW` to set length-scales of features: median (of distances that are not zero, times √D for D features), median-times-d (of all, times D, as CROWD has it), median-over-d (divided by D, as its draft), median-reference (as its authors' code), learnt")
	f.IntVar(&s.inducing, "inducing", 0, "`NUMBER` of inducing points, for many items with features (0: as needed)")
	f.Var(&s.scalePrior, "scale-prior", "Gamma prior of the inverse scales of utilities, `SHAPE,RATE` (1,1 where there is one utility)")
	s.stepping.flags(cmd)
	f.StringVar(&s.rankings, "rankings", "whole", "`HOW` the pairs of a ranking count: whole (as the ranking they tell: 2/k of a vote each for k items) or pairs (as votes of their own)")
	completes(cmd, "rankings", "whole", "pairs")
	s.pairing.flags(cmd)
	f.Uint64Var(&s.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	f.StringVar(&s.duels, "duels", duelForms()[0].word, "for --model duels: `FORM` of the noise, to the same result: "+words(duelForms()))
	completes(cmd, "duels", wordsOf(duelForms())...)
	completes(cmd, "model", fittable()...)
	completes(cmd, "rule", wordsOf(rules())...)
	completes(cmd, "likelihood", wordsOf(likelihoods())...)
	completes(cmd, "kernel", wordsOf(kernels())...)
	completes(cmd, "combine", wordsOf(combinations())...)
	completes(cmd, "lengths", wordsOf(lengthScales())...)
}

// vectorsFlag is for commands that read tables of items.
func vectorsFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "vectors", "", "`FILE` of embeddings, a NumPy array (.npy) with a row for each row of --items")
}

// ofFit are the flags that have a meaning only when there is something to fit.
func ofFit() []string {
	return slices.Concat([]string{"kernel", "combine", "lengths", "inducing", "rule", "likelihood", "scale-prior", "model", "rankings", "max-pairs", "duels", "users", "user-links", "link-kernel", "smoothness", "factors"}, ofReading(), ofSteps(), ofCrowd())
}

// ofSingle are the flags that only a single model has.
func ofSingle() []string {
	return slices.Concat(ofFeatures(), ofSteps(), []string{"rule", "likelihood", "links", "link-kernel", "scale-prior"})
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
func (s *settings) options(cmd *cobra.Command) (*model.Options, error) {
	if err := s.checkModel(cmd); err != nil {
		return nil, err
	}
	return s.settled(cmd)
}

// settled turns flags into options, whatever the model.
func (s *settings) settled(cmd *cobra.Command) (*model.Options, error) {
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
	if s.inducing < 0 {
		return nil, cli.Usage("--inducing %d is negative", s.inducing)
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
		return nil, cli.Usage("--rule jaakkola needs --likelihood logit")
	}
	how, err := choose("lengths", s.lengths, lengthScales())
	if err != nil {
		return nil, err
	}
	o.Lengths, o.Median = how.how, how.median
	if o.Shape, err = choose("kernel", s.kernel, kernels()); err != nil {
		return nil, err
	}
	if o.Combination, err = choose("combine", s.combine, combinations()); err != nil {
		return nil, err
	}
	if o.LinkKernel, err = s.spread(); err != nil {
		return nil, err
	}
	if o.Smoothness, err = choose("smoothness", s.smoothness, smoothness()); err != nil {
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
	s.ruled = cmd.Flags().Changed("rule")
	o.ScalePrior, o.Schedule = s.scalePrior.Gamma, s.schedule(s.seed)
	if without(cmd, ofKernel(), "") != nil {
		s.features = &model.FeatureKernel{Shape: o.Shape, Combination: o.Combination, Median: o.Median}
	}
	return o, nil
}

// known reports whether there is such a model.
func (s *settings) known() bool { return slices.Contains(fittable(), s.model) }

// decide makes --model auto a model, and says which and why.
func (s *settings) decide(ctx context.Context, v *ballots, o *model.Options, c *cli.Console) error {
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
	c.Note("--model auto took %s", choice.Why)
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
	if !hasFactors(s.model) {
		if err := without(cmd, []string{"factors"}, "--model "+s.model+" has no factors of taste"); err != nil {
			return err
		}
	} else if s.factors < 0 && s.model != "crowd" {
		return cli.Usage("--factors %d: only --model crowd goes without", s.factors)
	}
	if s.model != "duels" {
		if err := without(cmd, []string{"duels"}, "it is about --model duels"); err != nil {
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
			return cli.Usage("--model linked needs --links FILE")
		}
	case "duels":
		if _, err := choose("duels", s.duels, duelForms()); err != nil {
			return err
		}
		if s.lengths == "learnt" {
			return cli.Usage("--lengths learnt is not for --model duels; --model single learns them")
		}
		return without(cmd, slices.Concat(ofSteps(), ofLearning(), []string{"smoothness", "inducing", "likelihood", "links", "link-kernel", "users", "user-links"}), "it is not for --model duels")
	case "joint":
		others := slices.DeleteFunc(ofSingle(), func(name string) bool { return name == "rule" })
		return without(cmd, slices.Concat(others, ofLearning(), []string{"user-links"}), "it is not for --model joint")
	case "glicko", "diagonal":
		return without(cmd, append(append(ofSingle(), ofLearning()...), "items", "users", "user-links"), "--model "+s.model+" rates every item by its own votes only")
	case "crowd":
		if err := without(cmd, ofLearning(), "it is about --model population"); err != nil {
			return err
		}
		if s.userLinks != "" {
			return cli.Usage("--user-links has no effect: --model crowd reads features of voters, but no links between them; --model population does")
		}
		if _, err := s.crowdFlags.options(); err != nil {
			return err
		}
		if s.lengths == "learnt" && (s.batch > 0 || s.nugget) {
			return cli.Usage("--lengths learnt takes whole sweeps and no --nugget: leave out --batch and --nugget")
		}
		return without(cmd, []string{"rule", "likelihood", "links", "link-kernel"}, "it is about --model single")
	case "bt":
		return without(cmd, slices.Concat(ofSingle(), ofLearning(), []string{"items", "vectors", "users", "user-links"}), "Bradley–Terry knows nothing but votes")
	default:
		if !s.known() {
			return notOneOf("--model", s.model, fittable())
		}
		if s.model == "population" {
			others := slices.DeleteFunc(ofSingle(), func(name string) bool { return slices.Contains(ofKernel(), name) })
			if err := without(cmd, others, "it is about --model single"); err != nil {
				return err
			}
			return s.learning.check(cmd)
		}
		if err := without(cmd, ofSingle(), "it is about --model single"); err != nil {
			return err
		}
		if s.userLinks != "" {
			return cli.Usage("--user-links has no effect: %s, as published, knows nothing of voters but their votes; --model population reads links between them", s.model)
		}
		return without(cmd, ofLearning(), "it is about --model population")
	}
	if err := without(cmd, ofLearning(), "it is about --model population"); err != nil {
		return err
	}
	return without(cmd, []string{"users", "user-links"}, "--model "+s.model+" has one utility for all voters")
}
