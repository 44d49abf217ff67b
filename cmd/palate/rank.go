package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/compare"
	"palate/evaluate"
	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// rank is the command that prints a leaderboard.
type rank struct {
	settings
	boarding
	dates
	paper
	surveying
	printing
	matrix   bool
	sections []string
	folds    int
	about    string
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
With --elo the average is 1000 and a lead of 400 (--points) means odds of ten to one; for
that, probit scores are taken as logistic ones divided by 1.702. --anchor gpt-4=1200 shows
all scores as they are where that item has that one; intervals stay what they are.

Items that no chain of votes connects are not comparable. They are ranked in
groups of their own, unless --items gives features that connect them.

With --over month utilities move from month to month, as far as votes say so, and the
board is that of the last month, or of the one of --at 2024-05; it tells which items rose
and fell since the first votes, or since --since 2024-01, and with what probability. That
takes the times of votes.

With --html, a report in one file: leaderboard, who would win against whom, how
well held-out votes are predicted and whether more would help, and, where voters
are told apart (--model crowd or population), a map of them and what they differ
about. Holding votes out means fitting the model again and again: --folds 0 leaves
that out. --sections leaderboard,matrix has these charts alone, of
` + strings.Join(wrap(strings.Join(report.Sections(), ", "), 85), "\n") + `;
of a survey by best and worst, or of choices, it has shares of preference, what would be
chosen from a --shelf, what is above and below an --anchor, the few items that reach most
voters, and who answered with care (--consistent leaves the others out);
--title, --subtitle and --logo are for those who read it, and --lang is their language.

With --per language there is a board for every language, all in one table: a category is
to the board of all what a voter is to the consensus, and where it really differs is
said. --user English then has that board alone, and --html a report about them.

Columns of --csv: rank,item,score,sd,lo,hi,rank_lo,rank_hi,p_best,tier,votes;
then p_top with --top, group when there are several, and since,change,change_lo,change_hi,
p_rose with --over. With --per, category,item,rank,
score,sd,lo,hi,p_best,votes,raw_score,raw_sd,difference,p_above,sure.`,
		Example: `  palate rank votes.csv
  palate rank votes.csv --items items.csv --csv -o board.csv
  palate rank votes.csv --html report.html
  palate rank votes.csv --html report.html --lang de --sections leaderboard,matrix
  palate rank snacks.palate --html survey.html --sections shares,portfolios,consistency
  palate rank teas.palate --top 5 --elo --anchor Assam=1200
  palate rank votes.csv --user Noor
  palate rank battles.jsonl --per language
  palate rank battles.jsonl --over month --since 2024-01
  zcat votes.csv.gz | palate rank - --json`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes or a model"),
		RunE: r.run,
	}
	f := cmd.Flags()
	r.printing.flags(cmd, "print CSV", "print JSON")
	f.BoolVar(&r.matrix, "matrix", false, "print the chance of every item against every other, as CSV")
	r.paper.flags(cmd)
	r.surveying.flags(cmd)
	f.StringSliceVar(&r.sections, "sections", nil, "`CHARTS` of the report, with commas between (all that there is something to show in)")
	addFolds(cmd, &r.folds)
	r.boarding.flags(cmd)
	r.dates.flags(cmd)
	f.StringVar(&r.about, "about", "people", "`WHOM` a board of one utility for all is about, where voters are told apart: people (like these voters) or voters (these alone, whose tastes are the more certain)")
	completes(cmd, "about", "people", "voters")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no notes and no legend")
	r.settings.flags(cmd, "auto")
	return cmd
}

func (r *rank) run(cmd *cobra.Command, args []string) error {
	if r.matrix && (r.csv || r.json) {
		return cli.Usage("--matrix is CSV by itself: it goes without --csv and --json")
	}
	for _, name := range r.sections {
		if !slices.Contains(report.Sections(), name) {
			return cli.Usage("--sections: %w", notOneOf("chart", name, report.Sections()))
		}
	}
	if err := cmp.Or(r.paper.check(cmd, "folds", "sections", "shelf", "consistent"), r.boarding.check(), r.dates.check(), checkFolds(r.folds)); err != nil {
		return err
	}
	if len(r.per) > 0 && !cmd.Flags().Changed("model") {
		r.model = personal()
	}
	options, err := r.options(cmd)
	if err != nil {
		return err
	}
	around, err := r.paper.paper(cmd, args)
	if err != nil {
		return err
	}
	out, err := create(r.out, append(args, r.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	if len(r.sections) > 0 && !slices.Contains(r.sections, "reliability") && !slices.Contains(r.sections, "learning") {
		r.folds = 0
	}
	page, err := cli.Create(r.html, append(args, r.tables()...)...)
	if err != nil {
		return err
	}
	defer page.Discard()
	c := &cli.Console{Quiet: r.quiet}
	r.perVoter = r.user != ""
	c.Plan("ranking", 1)
	if r.html != "" && r.folds > 0 {
		c.Plan(heldOutVotes, fitsOf(r.folds, 1+len(evaluate.Yardsticks()), len(lessonParts())))
	}
	r.mentions = r.boarding.named()
	src, err := r.source(cmd, args, options, c)
	if err != nil {
		return err
	}
	if r.about == "voters" {
		if err := src.ofVoters(); err != nil {
			return err
		}
	}
	if err := r.turn(src, c); err != nil {
		return err
	}
	c.Step("ranking", "ranking")
	user, board, err := r.board(cmd.Context(), src.model, r.seed)
	if err != nil {
		return err
	}
	c.Clear()
	show, err := r.show(src.fit, board)
	if err != nil {
		return err
	}
	if show.Moves, err = r.moved(cmd.Context(), src.model, &model.BoardOptions{Level: r.level, Seed: r.seed}); err != nil {
		return err
	}
	var per *report.Breakdown
	legend := show
	legend.Legend = !r.quiet
	switch {
	case r.matrix:
		err = report.WriteMatrix(cmd.Context(), out, src.model, user, board, show)
	case len(r.per) > 0 && r.user == "":
		per, err = r.breakdown(cmd.Context(), out, src, legend)
	default:
		err = r.write(out, board, legend, c)
	}
	if err != nil {
		return err
	}
	if r.html != "" {
		show.Language = r.lang
		p := &report.Page{Paper: around, Model: src.model, User: user, Board: board, Options: show, Sections: r.sections, Per: per, Categories: len(r.per) > 0}
		anchor, _, err := r.anchored()
		if err != nil {
			return err
		}
		if p.Survey, err = r.surveying.about(src.model, anchor, r.seed); err != nil {
			return err
		}
		p.First, p.Last = src.dated()
		if err := r.page(cmd.Context(), page, p, src, options, c); err != nil {
			return err
		}
	}
	return out.Commit(cmd.Context())
}

// write renders the board in memory, then writes it at once.
func (r *rank) write(w io.Writer, board *model.Board, o report.Options, c *cli.Console) error {
	show := report.Table
	switch {
	case r.csv:
		show = report.CSV
	case r.json:
		show = report.JSON
	}
	if s := report.Groups(board); s != "" && (r.csv || r.json) {
		c.Note("%s", s)
	}
	var text bytes.Buffer
	if err := show(&text, board, o); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// breakdown writes the boards of categories in one table.
func (r *rank) breakdown(ctx context.Context, w io.Writer, src *source, o report.Options) (*report.Breakdown, error) {
	b, err := compare.Categories(ctx, src.votes.data, src.model, &compare.Options{Level: r.level, Seed: r.seed})
	if err != nil {
		return nil, err
	}
	shown := &report.Breakdown{Breakdown: b, Columns: r.per}
	var text bytes.Buffer
	if err := r.printing.write(&text, shown, o); err != nil {
		return nil, err
	}
	_, err = w.Write(text.Bytes())
	return shown, err
}

// page writes the report in HTML.
func (r *rank) page(ctx context.Context, out *cli.Output, p *report.Page, src *source, o *model.Settings, c *cli.Console) (err error) {
	var not errNotHeldOut
	p.Held, err = r.heldOut(ctx, src, o, r.folds, true, c)
	switch {
	case errors.As(err, &not):
		p.NotHeld = not.why
	case err != nil:
		return err
	}
	if err := report.HTML(ctx, out, p); err != nil {
		return err
	}
	return out.Commit(ctx)
}
