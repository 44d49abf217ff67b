package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate"
	"palate/evaluate"
	"palate/infer"
	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// evaluation is the command that measures models on votes they have not seen.
type evaluation struct {
	settings
	printing
	models string
	by     string
	folds  int
	share  float64
	level  float64
}

func newEvaluate() *cobra.Command {
	e := &evaluation{}
	cmd := &cobra.Command{
		Use:   "evaluate VOTES...",
		Short: "Measure how well models predict votes they have not seen",
		Long: `Divide the votes into folds, fit models to all folds but one, and see how well
they predict the votes of that one: mean surprise (cross-entropy), accuracy,
Brier score, calibration, and whether the items come in the right order. A coin,
counting votes, Bradley–Terry and Glicko are measured along with the models, and
a sentence says which differences are real.

Folds hold out votes (--by vote; the votes of one ranking stay together, and so do
those of one voter about one pair), all votes on some items (--by item: how good
are the models on new items?), all votes by some voters (--by user: on new voters?),
or all votes with the same text in a column of that name. The model auto chooses by
the same, unless --for says otherwise.

Of ratings (--models ratings) those of the folds are predicted: root mean square error,
log loss of a rating, and the surprise of which of two ratings of a voter is the higher,
beside how often each rating is given and means of items and voters.

Columns of --csv: model, then each measure with its standard error (_se) or
interval (_lo, _hi), by how much the best model leads in cross-entropy, and
whether that is real.`,
		Example: `  palate evaluate votes.csv
  palate evaluate votes.csv --models single,crowd,population --by user --folds 10
  palate evaluate arena.parquet --by language --json
  palate evaluate votes.csv --items items.csv --by item --test 0.2`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: e.run,
	}
	f := cmd.Flags()
	f.StringVar(&e.models, "models", "auto", "`MODELS` to measure, with commas between: what --model of rank may be, or none")
	f.StringVar(&e.by, "by", "vote", "`WHAT` a fold holds out: vote, item, user (or voter), or a column of the votes")
	suggests(cmd, "by", "vote", "item", "user")
	f.IntVar(&e.folds, "folds", 5, "`NUMBER` of folds")
	f.Float64Var(&e.share, "test", 0, "hold out this `SHARE` once, in place of folds")
	f.Float64Var(&e.level, "level", 0.95, "`PROBABILITY` of intervals")
	e.printing.flags(cmd, "print CSV", "print JSON, with reliability curves and all pairs of models")
	f.BoolVarP(&e.quiet, "quiet", "q", false, "no notes and no legend")
	e.settings.flags(cmd, "auto")
	f.MarkHidden("model")
	return cmd
}

func (e *evaluation) run(cmd *cobra.Command, args []string) error {
	switch {
	case !(e.level > 0 && e.level < 1):
		return cli.Usage("--level %v is not between 0 and 1", e.level)
	case cmd.Flags().Changed("test") && !(e.share > 0 && e.share < 1):
		return cli.Usage("--test %v is not between 0 and 1", e.share)
	case cmd.Flags().Changed("test") && cmd.Flags().Changed("folds"):
		return cli.Usage("--test and --folds exclude each other")
	case e.folds < 2:
		return cli.Usage("--folds %d: at least 2 are needed", e.folds)
	case cmd.Flags().Changed("model"):
		return cli.Usage("use --models")
	}
	names, options, err := e.named(cmd)
	if err != nil {
		return err
	}
	split := &evaluate.SplitOptions{Folds: e.folds, Share: e.share, Seed: e.seed}
	if split.By, err = e.unit(); err != nil {
		return err
	}
	if !cmd.Flags().Changed("for") {
		e.purpose = purposeOf(split.By)
	}
	out, err := create(e.out, append(args, e.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: e.quiet}
	rated, err := onlyRatings(names)
	if err != nil {
		return err
	}
	if rated {
		e.settings.model = names[0]
	}
	v, err := votesIn(cmd.Context(), args, &e.settings, c)
	if err != nil {
		return err
	}
	split.Values = v.kept
	folds, err := evaluate.Split(v.data, split)
	if err != nil {
		return err
	}
	if split.By == evaluate.ByVote {
		if found := evaluate.Found(v.data); found != "" {
			c.Note("%s", found)
		}
	}
	unsettled := misses{}
	if rated && v.data.HasRatings() {
		return e.ratings(cmd.Context(), out, v, folds, names, options, unsettled, c)
	}
	var methods []evaluate.Method
	for _, m := range evaluate.Yardsticks() {
		if !slices.Contains(names, m.Name) {
			methods = append(methods, m)
		}
	}
	for _, name := range names {
		methods = append(methods, e.candidate(name, v, options, unsettled))
	}
	result, err := evaluate.Run(cmd.Context(), v.data, folds, methods, &evaluate.Options{Level: e.level, Seed: e.seed, Progress: evaluating(c, len(folds)*len(methods))})
	c.Clear()
	if err != nil {
		return err
	}
	for _, why := range result.Refused {
		c.Note("not measured: %s", why)
	}
	unsettled.note(c, names, len(folds))
	return out.Print(cmd.Context(), func(w io.Writer) error { return e.write(w, result, v.data) })
}

// misses counts the fits of every model that did not converge.
type misses map[string]int

func (m misses) note(c *cli.Console, names []string, folds int) {
	for _, name := range names {
		if n := m[name]; n > 0 {
			c.Note("%s did not converge in %d of %d folds; its figures may be a little off", name, n, folds)
		}
	}
}

// named returns the models to measure, with the options of a single one. A flag
// may be without effect on some of them, but not on all.
func (e *evaluation) named(cmd *cobra.Command) (names []string, o *model.Settings, err error) {
	if e.models != "none" {
		names = strings.Split(e.models, ",")
	}
	fits := len(names) == 0
	for k, name := range names {
		names[k] = strings.TrimSpace(name)
		if slices.Contains(names[:k], names[k]) {
			return nil, nil, cli.Usage("--models names %s twice", names[k])
		}
		s := e.settings
		s.model = names[k]
		bad := s.checkModel(cmd)
		if _, unknown := model.Find(names[k]); unknown != nil && names[k] != "auto" {
			return nil, nil, bad
		}
		fits = fits || bad == nil
		if err == nil {
			err = bad
		}
	}
	if !fits {
		return nil, nil, err
	}
	o, err = e.settled(cmd)
	return names, o, err
}

// unit says what a fold holds out; a column is kept while reading.
func (e *evaluation) unit() (evaluate.By, error) {
	for _, by := range []evaluate.By{evaluate.ByVote, evaluate.ByItem, evaluate.ByUser} {
		if e.by == by.String() {
			return by, nil
		}
	}
	switch e.by {
	case "voter":
		return evaluate.ByUser, nil
	case "":
		return 0, cli.Usage("--by is empty")
	}
	e.keep = e.by
	return evaluate.ByValue, nil
}

// candidate fits a model as rank and fit would; it counts fits that did not
// converge.
func (s settings) candidate(name string, v *voteData, o *model.Settings, unsettled misses) evaluate.Method {
	return evaluate.Method{Name: name, Fit: func(ctx context.Context, train *palate.Dataset, _ uint64) (evaluate.Predictor, error) {
		s, votes, options := s, *v, *o
		s.model, votes.data = name, train
		m, err := s.fit(ctx, &votes, &options, &cli.Console{Quiet: true})
		if m == nil || err != nil {
			return nil, errors.Join(err, ctx.Err())
		}
		if m.Fit().Status != infer.Converged {
			unsettled[name]++
		}
		return m, nil
	}}
}

func (e *evaluation) write(w io.Writer, r *evaluate.Result, d *palate.Dataset) error {
	switch {
	case e.csv:
		return report.EvaluationCSV(w, r)
	case e.json:
		return report.EvaluationJSON(w, r)
	}
	how := fmt.Sprintf("%d folds by %s", r.Folds, e.by)
	if e.share > 0 {
		how = fmt.Sprintf("%s held out by %s", count(r.Units, e.noun()), e.by)
	}
	fmt.Fprintf(w, "%s on %s; %s, %s predicted\n\n", count(d.NumVotes(), "vote"), count(d.NumItems(), "item"), how, count(r.Cases, "decided vote"))
	return report.EvaluationTable(w, r, !e.quiet)
}

// noun is what is held out.
func (e *evaluation) noun() string {
	switch e.by {
	case "vote":
		return "answer"
	case "item":
		return "item"
	case "user", "voter":
		return "voter"
	}
	return "value"
}
