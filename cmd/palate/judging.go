package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/judging"
	"palate/model"
	"palate/report"
)

// judgingFigures is the command that reports comparative judgement.
type judgingFigures struct {
	printing
	grades  string
	anchors string
	most    int
	splits  int
	skipBad bool
	paper
	reading
	seed uint64
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

--anchors takes items whose scores are known, such as those that an earlier round has
in common with this one: id,score and, if known, se. All scores go over to their scale
by a straight line, with what is not known of the line; the boundaries of --grades are
then on it. Anchors that do not fit the others are flagged. What --csv of an earlier
round wrote may be given as it is.

--csv prints a row for every item, and then one for every judge. With --html, a report in
one file, with charts of scores, judges and grades.`,
		Example: `  palate judging judgements.csv
  palate judging judgements.csv --grades A@tea12,B=0,C --csv -o grades.csv
  palate judging judgements.csv --anchors known.csv --grades pass=50,fail
  palate judging judgements.csv --grades A=0.8,B=0,C --html judged.html`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: j.run,
	}
	f := cmd.Flags()
	j.printing.flags(cmd, "print CSV", "print JSON")
	f.StringVar(&j.grades, "grades", "", "`GRADES` from the best down, with the least that has each: A=1.2,B=0.3,C or A@essay12,C")
	f.StringVar(&j.anchors, "anchors", "", "`FILE` of items with known scores, whose scale is wanted: id,score and optionally se")
	f.IntVar(&j.most, "show", 20, "at most this `NUMBER` of judges and of items in the tables (0: all)")
	f.IntVar(&j.splits, "splits", 20, "`NUMBER` of divisions of the judges into halves (0: none)")
	j.paper.flags(cmd)
	j.reading.flags(cmd)
	f.BoolVar(&j.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.Uint64Var(&j.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "no notes and no legend")
	return cmd
}

func (j *judgingFigures) run(cmd *cobra.Command, args []string) error {
	switch {
	case j.most < 0 || j.splits < 0:
		return cli.Usage("--show %d, --splits %d: not below 0", j.most, j.splits)
	}
	if err := j.paper.check(cmd); err != nil {
		return err
	}
	around, err := j.paper.paper(cmd, args)
	if err != nil {
		return err
	}
	var grades []judging.Boundary
	if j.grades != "" {
		if grades, err = judging.ParseGrades(j.grades); err != nil {
			return cli.Usage("--grades: %w", err)
		}
	}
	out, err := create(j.out, append(args, j.anchors)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	page, err := cli.Create(j.html, append(args, j.anchors)...)
	if err != nil {
		return err
	}
	defer page.Discard()
	c := &cli.Console{Quiet: j.quiet}
	v, err := votesIn(cmd.Context(), args, &settings{skipBad: j.skipBad, reading: j.reading, pairing: pairing{maxPairs: 1000}}, c)
	if err != nil {
		return err
	}
	anchors, err := j.known(cmd.Context(), v, c)
	if err != nil {
		return err
	}
	r, err := j.figures(cmd, v, grades, anchors, c)
	c.Clear()
	if err != nil {
		return err
	}
	if r.SplitHalf != r.SplitHalf && j.splits > 0 {
		c.Note("no split-half reliability: the votes name fewer than two judges, or halves of them connect too few items")
	}
	if j.html != "" {
		if err := report.JudgingHTML(cmd.Context(), page, around, r, report.Options{Language: j.lang}); err != nil {
			return err
		}
		if err := page.Commit(cmd.Context()); err != nil {
			return err
		}
	}
	return j.print(cmd.Context(), out, r, nil)
}

// figures are those of the field, and palate's own.
func (j *judgingFigures) figures(cmd *cobra.Command, v *voteData, grades []judging.Boundary, anchors []judging.Anchor, c *cli.Console) (*report.Judging, error) {
	ctx := cmd.Context()
	splits := j.splits
	splits = cmp.Or(splits, -1)
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
	if grades == nil && anchors == nil {
		return r, nil
	}
	scores, err := judging.DrawScores(ctx, m, j.seed)
	if err != nil {
		return nil, err
	}
	if anchors != nil {
		link, err := scores.Equate(anchors)
		if err != nil {
			return nil, err
		}
		r.Equate(link, scores.Score)
	}
	if grades != nil {
		for _, g := range grades {
			r.Grades = append(r.Grades, g.Grade)
		}
		r.Chances, err = scores.Grades(grades)
	}
	return r, err
}

// known reads the anchors that were judged, and says how many others there are; nil without
// anchors.
func (j *judgingFigures) known(ctx context.Context, v *voteData, c *cli.Console) ([]judging.Anchor, error) {
	if j.anchors == "" {
		return nil, nil
	}
	t, err := readTable(ctx, j.anchors)
	if err != nil {
		return nil, err
	}
	score, se := wording.Find(t.Columns, "score"), wording.Find(t.Columns, "se", "sd")
	if score < 0 {
		return nil, fmt.Errorf("%s: %s", wording.File(t.File), wording.NoColumns(append([]string{ingest.IDColumn}, t.Columns...), []string{"score"}))
	}
	anchors, absent := []judging.Anchor{}, 0
	for k, id := range t.IDs {
		a := judging.Anchor{Item: id}
		for _, cell := range []struct {
			column int
			to     *float64
		}{{score, &a.Score}, {se, &a.SE}} {
			if cell.column < 0 || t.Cell(k, cell.column) == "" {
				continue
			}
			if *cell.to, err = strconv.ParseFloat(t.Cell(k, cell.column), 64); err != nil || math.IsNaN(*cell.to) || math.IsInf(*cell.to, 0) || cell.to == &a.SE && *cell.to < 0 {
				return nil, &ingest.Error{File: t.File, Line: t.Lines[k], Column: t.Columns[cell.column], Reason: fmt.Sprintf("%s is not a number that a score has", wording.Quote(t.Cell(k, cell.column)))}
			}
		}
		if t.Cell(k, score) == "" { // such as the rows of judges
			continue
		}
		if _, judged := v.data.Item(id); !judged {
			absent++
			continue
		}
		anchors = append(anchors, a)
	}
	if absent > 0 {
		c.Note("items that were not judged bind nothing: %d of %d in %s", absent, absent+len(anchors), wording.File(t.File))
	}
	return anchors, nil
}
