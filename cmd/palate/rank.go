package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"palate/model"
	"palate/report"
)

// rank is the command that prints a leaderboard.
type rank struct {
	settings
	csv, json bool
	out       string
	level     float64
	top       int
	user      string
	elo       bool
	quiet     bool
}

func newRank() *cobra.Command {
	r := &rank{}
	cmd := &cobra.Command{
		Use:   "rank VOTES... | MODEL",
		Short: "Rank the items of a vote file, or of a model",
		Long: `Rank items by votes between pairs, or by a model that "palate fit" wrote.

Each item gets a score, its uncertainty, an interval, the ranks it may have, its
chance to be the best, and a tier. A score is in units of the noise of one vote:
with a lead of 1 an item wins 84% of the time (73% with --likelihood logit).
With --elo the average is 1000 and a lead of 400 means odds of ten to one; for
that, probit scores are taken as logistic ones divided by 1.702.

Items that no chain of votes connects are not comparable. They are ranked in
groups of their own, unless --items gives features that connect them.

Columns of --csv: rank,item,score,sd,lo,hi,rank_lo,rank_hi,p_best,tier,votes;
then p_top with --top, and group when there are several.`,
		Example: `  palate rank votes.csv
  palate rank votes.csv --items items.csv --csv -o board.csv
  palate rank teas.palate --top 5 --elo
  palate rank votes.csv --model population --user Noor
  zcat votes-*.gz | palate rank - --json`,
		Args: needs(1, math.MaxInt, "a file of votes or a model"),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.BoolVar(&r.csv, "csv", false, "print CSV")
	f.BoolVar(&r.json, "json", false, "print JSON")
	f.StringVarP(&r.out, "output", "o", "-", "write to this `FILE`")
	f.Float64Var(&r.level, "level", 0.95, "`PROBABILITY` of intervals and tiers")
	f.IntVar(&r.top, "top", 0, "show only the best `K`, with their chance to be among the best K")
	f.StringVar(&r.user, "user", "", "the board of this `VOTER` (with --model population)")
	f.BoolVar(&r.elo, "elo", false, "scores as chess ratings around 1000")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no notes and no legend")
	r.settings.flags(cmd)
	return cmd
}

func (r *rank) run(cmd *cobra.Command, args []string) error {
	switch {
	case r.csv && r.json:
		return usage("--csv and --json exclude each other")
	case !(r.level > 0 && r.level < 1):
		return usage("--level %v is not between 0 and 1", r.level)
	case r.top < 0:
		return usage("--top %d is negative", r.top)
	}
	if err := onlyOneStdin(append(args, r.items)...); err != nil {
		return err
	}
	options, err := r.options(cmd)
	if err != nil {
		return err
	}
	out, err := create(r.out, append(args, r.items)...)
	if err != nil {
		return err
	}
	defer out.discard()
	c := &console{quiet: r.quiet}
	m, fit, err := r.predictor(cmd, args, options, c)
	interrupted := errors.Is(err, errInterrupted)
	switch {
	case interrupted && !settled(m):
		return fmt.Errorf("%w: there is no board yet", err)
	case err != nil && !interrupted:
		return err
	}
	if interrupted {
		fit.Status = "interrupted"
	}
	if err := r.write(out, m, fit, c); err != nil {
		return err
	}
	if err := out.commit(); err != nil {
		return err
	}
	if interrupted {
		return fmt.Errorf("%w: the board is that of an unfinished fit", errInterrupted)
	}
	return nil
}

// settled reports whether an interrupted fit got near enough to its end to be
// shown: no vote's part of the posterior moves by more than a hundredth of its
// spread.
func settled(m model.Model) bool { return m != nil && m.Fit().Stats.Change < 0.01 }

// predictor reads a model or fits one to votes.
func (r *rank) predictor(cmd *cobra.Command, args []string, o *model.Options, c *console) (model.Model, *report.Fit, error) {
	var files []*input
	for _, path := range args {
		in, err := open(path)
		if err != nil {
			return nil, nil, err
		}
		defer in.close()
		if in.isModel() {
			if len(args) > 1 {
				return nil, nil, usage("%s is a model or an archive: rank it alone, or rank vote files", path)
			}
			if err := without(cmd, ofFit(), path+" is a model, which is fitted already"); err != nil {
				return nil, nil, err
			}
			return r.stored(in, c)
		}
		files = append(files, in)
	}
	return r.fitted(cmd.Context(), files, o, c)
}

func (r *rank) stored(in *input, c *console) (model.Model, *report.Fit, error) {
	m, fit, err := in.model()
	if err == nil && r.items != "" {
		m, err = extend(m, r.items, c)
	}
	return m, fit, err
}

func (r *rank) fitted(ctx context.Context, files []*input, o *model.Options, c *console) (model.Model, *report.Fit, error) {
	v, err := readVotes(ctx, files, &r.settings, c)
	if err != nil {
		return nil, nil, err
	}
	m, err := r.fit(ctx, v, o, c)
	if m == nil {
		return nil, nil, err
	}
	return m, r.summary(m, v.data), err
}

// write renders the board in memory, then writes it at once.
func (r *rank) write(w io.Writer, m model.Model, fit *report.Fit, c *console) error {
	user, err := r.voter(m)
	if err != nil {
		return err
	}
	board := model.NewBoard(m, user, &model.BoardOptions{Level: r.level, Top: r.top, Seed: r.seed})
	o := report.Options{Top: r.top, Elo: r.elo, Legend: !r.quiet, Fit: fit}
	show := report.Table
	switch {
	case r.csv:
		show = report.CSV
	case r.json:
		show = report.JSON
	}
	if s := report.Groups(board); s != "" && (r.csv || r.json) {
		c.note("%s", s)
	}
	var text bytes.Buffer
	if err := show(&text, board, o); err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	return err
}

// voter returns the number of the voter whose board it is to be, −1 for the
// consensus.
func (r *rank) voter(m model.Model) (int, error) {
	if r.user == "" {
		return -1, nil
	}
	if m.NumUsers() == 0 {
		return 0, fmt.Errorf("--user %s: a %s model has one board for everybody; fit one with --model population", r.user, m.Name())
	}
	u, ok := namesOf(m).User(r.user)
	if !ok {
		return 0, fmt.Errorf("--user %s: no vote is by this voter", r.user)
	}
	return u, nil
}
