package main

import (
	"bytes"
	"math"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/judging"
	"palate/model"
	"palate/report"
)

// judgingFigures is the command that reports comparative judgement.
type judgingFigures struct {
	csv, json bool
	out       string
	grades    string
	most      int
	splits    int
	skipBad   bool
	reading
	seed  uint64
	quiet bool
}

func newJudging() *cobra.Command {
	j := &judgingFigures{}
	cmd := &cobra.Command{
		Use:   "judging VOTES...",
		Short: "Report comparative judgement: reliability, misfits, grades",
		Long: `Report judgements of essays, drawings or other work as the field of comparative
judgement does: the scale separation reliability (SSR) on scores by the model of
Bradley and Terry, the split-half reliability, infit and outfit of judges and of
items, with flags. Beside them stands the reliability of palate's own scores, which
knows that judges differ and that few judgements tell little.

--grades gives the chance of every item to have each grade, by palate's own scores:
--grades A=1.2,B=0.3,C has A from 1.2 on, and C below 0.3, on the scale of palate
rank. --grades A@essay12,C names an item that just has the grade.

--csv prints a row for every item, and then one for every judge.`,
		Example: `  palate judging judgements.csv
  palate judging judgements.csv --grades A@tea12,B=0,C --csv -o grades.csv`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: j.run,
	}
	f := cmd.Flags()
	f.BoolVar(&j.csv, "csv", false, "print CSV")
	f.BoolVar(&j.json, "json", false, "print JSON")
	f.StringVarP(&j.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&j.grades, "grades", "", "`GRADES` from the best down, with the least that has each: A=1.2,B=0.3,C or A@essay12,C")
	f.IntVar(&j.most, "show", 20, "at most this `NUMBER` of judges and of items in the tables (0: all)")
	f.IntVar(&j.splits, "splits", 20, "`NUMBER` of divisions of the judges into halves (0: none)")
	j.reading.flags(cmd)
	f.BoolVar(&j.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.Uint64Var(&j.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "no notes and no legend")
	return cmd
}

func (j *judgingFigures) run(cmd *cobra.Command, args []string) error {
	switch {
	case j.csv && j.json:
		return cli.Usage("--csv and --json exclude each other")
	case j.most < 0 || j.splits < 0:
		return cli.Usage("--show %d, --splits %d: not below 0", j.most, j.splits)
	}
	var grades []judging.Boundary
	if j.grades != "" {
		var err error
		if grades, err = judging.ParseGrades(j.grades); err != nil {
			return cli.Usage("--grades: %w", err)
		}
	}
	if err := onlyOneStdin(args...); err != nil {
		return err
	}
	out, err := cli.Create(j.out, args...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: j.quiet}
	v, err := votesIn(cmd.Context(), args, &settings{skipBad: j.skipBad, reading: j.reading, pairing: pairing{maxPairs: 1000}}, c)
	if err != nil {
		return err
	}
	r, err := j.figures(cmd, v, grades, c)
	c.Clear()
	switch {
	case cmd.Context().Err() != nil:
		return cli.ErrInterrupted
	case err != nil:
		return err
	}
	if r.SplitHalf != r.SplitHalf && j.splits > 0 {
		c.Note("no split-half reliability: the votes name fewer than two judges, or halves of them connect too few items")
	}
	write := r.WriteText
	switch {
	case j.csv:
		write = r.WriteCSV
	case j.json:
		write = r.WriteJSON
	}
	var text bytes.Buffer
	if err := write(&text, report.Options{Legend: !j.quiet}); err != nil {
		return err
	}
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	return out.Commit(cmd.Context())
}

// figures are those of the field, and palate's own.
func (j *judgingFigures) figures(cmd *cobra.Command, v *voteData, grades []judging.Boundary, c *cli.Console) (*report.Judging, error) {
	ctx := cmd.Context()
	splits := j.splits
	if splits == 0 {
		splits = -1
	}
	c.Step("scores", "scores")
	found, err := judging.Analyse(ctx, v.data, &judging.Options{Splits: splits, Seed: j.seed, Progress: func(done, total int) {
		c.Say("halves of the judges, %d of %d", done+1, total)
	}})
	if err != nil {
		return nil, err
	}
	r := &report.Judging{Judging: found, Most: j.most}
	m, err := model.FitSingle(ctx, v.data, &model.Options{Seed: j.seed})
	if err != nil {
		return nil, err
	}
	board, err := model.NewBoard(ctx, m, -1, &model.BoardOptions{Seed: j.seed})
	if err != nil {
		return nil, err
	}
	r.Posterior = judging.PosteriorReliability(board)
	if grades != nil {
		for _, g := range grades {
			r.Grades = append(r.Grades, g.Grade)
		}
		r.Chances, err = judging.Grades(ctx, m, grades, j.seed)
	}
	return r, err
}
