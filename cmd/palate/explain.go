package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"palate"
	"palate/explain"
	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// explaining is the command that says what features have to do with what is liked.
type explaining struct {
	settings
	printing
	level    float64
	values   bool
	better   string
	ofVoters bool
	heldOut  bool
	folds    int
}

func newExplain() *cobra.Command {
	e := &explaining{}
	cmd := &cobra.Command{
		Use:   "explain VOTES... | MODEL",
		Short: "Say which features of items matter, and how",
		Long: `Say what the features of items have to do with how they are liked, for models that learn
from them: single and population, fitted with --items. A column of the table is one
feature, whatever it is.

For every feature: its importance, which is by how much scores differ between items for
that feature alone, the probability that it matters at all, what one deviation more of a
number is worth along a straight line, and the length-scale that was learnt or set, in
units of the table. Importance is the deviation over items of the partial dependence: the
mean score of all items, each with the feature set to one value. With --values that is
shown at the values that items have. All have intervals of the posterior, with what votes
leave open of length-scales and variances.

With --better ITEM, which change of one feature would raise that item most, by what other
items with that value are liked for, within the values seen.

With --voters, which features of --users go with which tastes, of a population model: by
how much voters with one value like each item more than those with another do. Values
are one that few are below and one that few are above of a number, and of words each
against all. A model file needs to be fitted with --voter-features.

With --held-out, how much worse votes on items without votes are predicted when the
feature is shuffled between these items, and by a model fitted without it. That sees
features that matter only together with others, and takes a fit a feature and fold.

Columns of --csv: feature,importance,lo,hi,p_matters,linear,linear_lo,linear_hi,
deviation,length_scale and, with --held-out, shuffled and left_out with _lo and _hi,
in nats a vote; with --values feature,value,share,effect,lo,hi; with --better
item,feature,from,to,gain,lo,hi,p_gain; with --voters
feature,from,to,item,more,lo,hi,p_matters. The chart is "palate plot dependence".`,
		Example: `  palate explain votes.csv --items items.csv
  palate explain teas.palate --values --csv
  palate explain teas.palate --better Assam
  palate explain votes.csv --items items.csv --held-out
  palate explain votes.csv --users users.csv --voters`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes or a model"),
		RunE: e.run,
	}
	f := cmd.Flags()
	f.BoolVar(&e.values, "values", false, "the effect of every value, in place of importances")
	f.StringVar(&e.better, "better", "", "what would make this `ITEM` better")
	f.BoolVar(&e.ofVoters, "voters", false, "which features of voters go with which tastes, in place of features of items")
	f.BoolVar(&e.heldOut, "held-out", false, "what each feature is worth for votes on items held out, too")
	addFolds(cmd, &e.folds)
	f.Lookup("folds").Usage = "`NUMBER` of parts of the items for --held-out"
	e.printing.flags(cmd, "print CSV", "print JSON, with all there is")
	f.Float64Var(&e.level, "level", 0.95, "`PROBABILITY` of intervals")
	f.BoolVarP(&e.quiet, "quiet", "q", false, "no notes and no legend")
	e.settings.flags(cmd, "auto")
	return cmd
}

func (e *explaining) run(cmd *cobra.Command, args []string) error {
	switch {
	case !(e.level > 0 && e.level < 1):
		return cli.Usage("--level %v is not between 0 and 1", e.level)
	case e.values && e.better != "":
		return cli.Usage("--values and --better exclude each other")
	case e.ofVoters && (e.values || e.better != "" || e.heldOut):
		return cli.Usage("--voters is about features of voters: it goes without --values, --better and --held-out")
	case e.heldOut && (e.values || e.better != "") && !e.json:
		return cli.Usage("--held-out is about importances: without --values and --better, or with --json")
	case e.heldOut && e.folds < 2:
		return cli.Usage("--folds %d: at least 2 are needed to hold out", e.folds)
	case !e.heldOut && cmd.Flags().Changed("folds"):
		return cli.Usage("--folds has no effect without --held-out")
	}
	if e.ofVoters && !cmd.Flags().Changed("model") {
		e.model = "population"
	}
	options, err := e.options(cmd)
	if err != nil {
		return err
	}
	out, err := create(e.out, append(args, e.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	if e.ofVoters {
		options.VoterFeatures = model.WithFeatures
	}
	e.wants = e.lacks
	if e.better != "" {
		e.mentions = []mention{{flag: "--better", id: e.better}}
	}
	c := &cli.Console{Quiet: e.quiet}
	src, err := e.source(cmd, args, options, c)
	if err != nil {
		return err
	}
	r, err := e.explain(cmd.Context(), src, options, c)
	c.Clear()
	if err != nil {
		return err
	}
	return e.print(cmd.Context(), out, r, src.fit)
}

// lacks says what is not there to explain votes by.
func (e *explaining) lacks(v *voteData) error {
	switch {
	case e.ofVoters && v.userEncoder == nil:
		return cli.Usage("the voters have no features to explain tastes by: --users FILE has a row for each, with columns beside id")
	case !e.ofVoters && v.encoder == nil:
		return cli.Usage("the items have no features to explain them by: --items FILE has a row for each, with columns beside id")
	}
	return nil
}

// explain finds what is to be shown.
func (e *explaining) explain(ctx context.Context, src *source, o *model.Settings, c *cli.Console) (*report.Explanation, error) {
	r := &report.Explanation{Level: e.level, Values: e.values, Item: e.better}
	how := explain.Options{Level: e.level, Seed: e.seed}
	c.Step("explaining", "explaining by features")
	if e.ofVoters {
		m, features, err := explain.OfVoters(src.model)
		if err != nil {
			return nil, err
		}
		r.ItemID = m.ItemID
		r.Leanings, err = explain.Leanings(ctx, m, features, &how)
		return r, err
	}
	m, features, err := explain.Of(src.model)
	if err != nil {
		return nil, err
	}
	if e.better != "" {
		item, err := mention{flag: "--better", id: e.better}.in(src.model)
		if err != nil {
			return nil, err
		}
		if r.Changes, err = explain.Better(ctx, m, features, item, &how); err != nil {
			return nil, err
		}
	}
	if e.better == "" || e.json {
		if r.Dependences, err = explain.Dependences(ctx, m, features, &how); err != nil {
			return nil, err
		}
	}
	if !e.heldOut {
		return r, nil
	}
	if src.votes == nil || src.votes.spool != nil {
		return nil, cli.Usage("--held-out needs votes in memory to hold out: a model file has none")
	}
	entry, err := model.Find(e.model)
	if err != nil {
		return nil, err
	}
	settings := entry.Only(*o)
	settings.Progress = nil
	r.Held, err = explain.HoldOut(ctx, src.votes.data, features, &explain.HoldOptions{
		Options: how, Folds: e.folds,
		Fit:      func(ctx context.Context, d *palate.Dataset) (model.Model, error) { return entry.Fit(ctx, d, &settings) },
		Progress: func(fit, of int) { c.Step("holding out", fmt.Sprintf("holding out: fit %d of %d", fit+1, of)) },
	})
	return r, err
}
