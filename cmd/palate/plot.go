package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palate/compare"
	"palate/explain"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
	"palate/report"
)

// plot is the command that draws one chart.
type plot struct {
	settings
	boarding
	surveying
	out, theme    string
	width, height int
	size          string
	title, lang   string
	bare          bool
	folds         int
	quiet         bool
}

// picture is a chart that plot draws.
type picture struct {
	name, about string
	draw        drawing
}

// drawing makes a chart of a source, fitting again if need be.
type drawing func(*plot, context.Context, *source, *model.Settings, *cli.Console) (*report.Chart, error)

func pictures() []picture {
	taste := func(name string, chart func(*report.Tastes) *report.Chart) drawing {
		return func(p *plot, ctx context.Context, src *source, _ *model.Settings, _ *cli.Console) (*report.Chart, error) {
			t, err := report.NewTastes(ctx, src.model)
			if err != nil {
				return nil, err
			}
			if t != nil {
				t.Language = p.lang
				if c := chart(t); c != nil {
					return c, nil
				}
			}
			return nil, fmt.Errorf("nothing to show in a chart of %s: %s", name, report.NoTastes(src.model))
		}
	}
	surveyed := func(name string, chart func(context.Context, *report.Survey, report.Options) (*report.Chart, error)) drawing {
		return func(p *plot, ctx context.Context, src *source, _ *model.Settings, c *cli.Console) (*report.Chart, error) {
			if why := report.NoSurvey(src.model); why != "" {
				return nil, fmt.Errorf("nothing to show in a chart of %s: %s", name, why)
			}
			return p.survey(ctx, src, chart)
		}
	}
	return []picture{
		{"leaderboard", "scores with their intervals, tiers set apart", (*plot).leaderboard},
		{"matrix", "the chance of every item against every other", (*plot).matrix},
		{"reliability", "predicted chances against what came about, on held-out votes", (*plot).reliability},
		{"learning", "how predictions improve with the number of votes", (*plot).learning},
		{"course", "how scores went over time, with their intervals (of --over)", (*plot).course},
		{"voters", "a map of voters by the first two factors of taste", taste("voters", report.Voters)},
		{"factors", "the items that the factors of taste raise and lower", taste("factors", report.Loadings)},
		{"disagreement", "which voters depart from the consensus, on which items", taste("disagreement", report.Disagreement)},
		{"segments", "boards of segments of voters who are alike in taste", (*plot).segments},
		{"categories", "ranks in every category of a column, and where they differ (of --per)", (*plot).categories},
		{"dependence", "what values of features of items are worth, with their bands", (*plot).dependence},
		{"traits", "sides, carefulness and ties of voters, as far as the model tells", (*plot).traits},
		{"shares", "shares of preference, as surveys report them", surveyed("shares", report.Shares)},
		{"anchored", "scores against that of an --anchor, and who has items above it", surveyed("anchored", report.Anchored)},
		{"shelf", "what would be chosen if just the items of --shelf were there", surveyed("shelf", report.Shelf)},
		{"portfolios", "the few items that reach most voters, by their number", surveyed("portfolios", report.Portfolios)},
		{"consistency", "how well the answers of every voter follow from their others", surveyed("consistency", report.Consistency)},
	}
}

func newPlot() *cobra.Command {
	p := &plot{}
	var about strings.Builder
	var names []string
	for _, c := range pictures() {
		fmt.Fprintf(&about, "  %-12s  %s\n", c.name, c.about)
		names = append(names, c.name)
	}
	cmd := &cobra.Command{
		Use:   "plot CHART VOTES... | MODEL -o FILE",
		Short: "Draw a chart as SVG, PNG or PDF",
		Long: `Draw one of the charts of "palate rank --html" as an SVG, PNG or PDF file, whichever
the name of the file ends with:

` + about.String() + `
The course needs utilities that move: --over month. Categories need --per. Voters,
factors, disagreement, segments and traits need a model that tells voters apart:
--model crowd or population; shares, anchored, shelf, portfolios and consistency are
of surveys, and need --model population; dependence one that learns from --items:
single or population. Reliability and learning need votes; a model file has none to
hold out. PNG has two dots a pixel; PNG and PDF have letters of Latin, Greek and
Cyrillic only.

A chart is as tall as it needs to be. For a slide, --size 16:9 or --height make it fill a
frame, with letters as large as there is room for; a leaderboard of many items then goes
into several lists beside each other. --top leaves out all but the best.`,
		Example: `  palate plot leaderboard votes.csv -o board.svg
  palate plot matrix teas.palate --theme dark -o matrix.png
  palate plot voters votes.csv --model crowd -o voters.png --width 1200
  palate plot leaderboard votes.csv --size 16:9 --top 30 --title "Our teas" -o slide.pdf`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return fmt.Errorf("the name of a chart is missing: %s", strings.Join(names, ", "))
			case !slices.Contains(names, args[0]):
				return notOneOf("chart", args[0], names)
			case len(args) == 1:
				return errors.New("a file of votes or a model is missing")
			}
			return nil
		},
		RunE: p.run,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return names, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
	}
	f := cmd.Flags()
	f.StringVarP(&p.out, "output", "o", "", "`FILE` to write, .svg, .png or .pdf (needed; - writes SVG to standard output)")
	f.StringVar(&p.theme, "theme", "light", "`COLOURS`: light, dark, or auto (SVG only: as the screen prefers)")
	completes(cmd, "theme", report.Themes()...)
	f.IntVar(&p.width, "width", 900, "width in `PIXELS` (with --size 1280)")
	f.IntVar(&p.height, "height", 0, "height in `PIXELS`, that the chart is made to fit (what it needs)")
	f.StringVar(&p.size, "size", "", "`SHAPE` of a slide that the chart is made to fit, as 16:9 or 4:3")
	f.StringVar(&p.title, "title", "", "`TITLE` in the place of the chart's own")
	addLang(cmd, &p.lang)
	f.BoolVar(&p.bare, "bare", false, "without title and explanation")
	addFolds(cmd, &p.folds)
	p.boarding.flags(cmd)
	p.surveying.flags(cmd)
	f.BoolVarP(&p.quiet, "quiet", "q", false, "no notes")
	p.settings.flags(cmd, "auto")
	return cmd
}

func (p *plot) run(cmd *cobra.Command, args []string) error {
	if p.out == "" {
		return cli.Usage("say where to draw: -o FILE.svg, -o FILE.png or -o FILE.pdf")
	}
	format := "svg"
	if p.out != "-" {
		format = strings.TrimPrefix(strings.ToLower(filepath.Ext(p.out)), ".")
	}
	switch {
	case !slices.Contains(report.Formats(), format):
		return cli.Usage("-o %s: the name must end with .svg, .png or .pdf", p.out)
	case p.out == "-" && term.IsTerminal(int(os.Stdout.Fd())):
		return cli.Usage("a chart is not for a terminal: name a file with -o")
	case p.theme == "auto" && format != "svg":
		return cli.Usage("--theme auto is for SVG only")
	case p.size != "" && p.height != 0:
		return cli.Usage("--size and --height exclude each other")
	case args[0] == "categories" && len(p.per) == 0:
		return cli.Usage("name a column that has the categories: --per COLUMN")
	case p.bare && p.title != "":
		return cli.Usage("--bare leaves out the title that --title gives")
	case p.lang == "ja" && format != "svg":
		return cli.Usage("--lang ja: only SVG has the letters of Japanese")
	case p.width < report.MinWidth || p.width > report.MaxWidth:
		return cli.Usage("--width %d is not between %d and %d", p.width, report.MinWidth, report.MaxWidth)
	}
	if err := cmp.Or(p.boarding.check(), checkFolds(p.folds)); err != nil {
		return err
	}
	file, err := p.file(cmd, format)
	if err != nil {
		return err
	}
	options, err := p.options(cmd)
	if err != nil {
		return err
	}
	out, err := create(p.out, append(args, p.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: p.quiet}
	if args[0] == "categories" && !cmd.Flags().Changed("model") {
		p.model = personal()
	}
	p.perVoter = p.user != "" || slices.Contains([]string{"voters", "factors", "disagreement", "segments", "shares", "anchored", "shelf", "portfolios", "consistency"}, args[0])
	p.mentions = p.boarding.named()
	src, err := p.source(cmd, args[1:], options, c)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(pictures(), func(c picture) bool { return c.name == args[0] })
	chart, err := pictures()[at].draw(p, cmd.Context(), src, options, c)
	if err != nil {
		return err
	}
	if err := out.Print(cmd.Context(), func(w io.Writer) error { return chart.Write(w, file) }); err != nil {
		return err
	}
	if name := chart.Lacking(); format != "svg" && name != "" {
		c.Note("%s has boxes for letters that its font lacks, as in %s: SVG has them all", p.out, wording.Quote(name))
	}
	if p.out != "-" {
		c.Note("%s: %s", p.out, chart.Alt)
	}
	return nil
}

// file says how the chart is to be written.
func (p *plot) file(cmd *cobra.Command, format string) (report.File, error) {
	f := report.File{Format: format, Theme: p.theme, Width: float64(p.width), Height: float64(p.height), Title: p.title, Bare: p.bare}
	if p.size != "" {
		if !cmd.Flags().Changed("width") {
			f.Width = 1280
		}
		width, height, _ := strings.Cut(p.size, ":")
		wide, err := strconv.ParseFloat(width, 64)
		tall, err2 := strconv.ParseFloat(height, 64)
		if cmp.Or(err, err2) != nil || !(wide > 0 && tall > 0 && wide < 5*tall && tall < 5*wide) {
			return f, cli.Usage("--size %q is no shape: write width and height, as in 16:9", p.size)
		}
		f.Height = math.Round(f.Width * tall / wide)
	}
	if f.Height != 0 && !(f.Height >= report.MinHeight && f.Height <= report.MaxWidth) {
		return f, cli.Usage("a height of %v pixels is not between %d and %d", f.Height, report.MinHeight, report.MaxWidth)
	}
	return f, nil
}

// shown is the board that is asked for, the voter whose it is, and how it is shown.
func (p *plot) shown(ctx context.Context, src *source) (user int, b *model.Board, o report.Options, err error) {
	if user, b, err = p.board(ctx, src.model, p.seed); err != nil {
		return user, b, o, err
	}
	o, err = p.show(src.fit, b)
	o.Language = p.lang
	return user, b, o, err
}

func (p *plot) leaderboard(ctx context.Context, src *source, _ *model.Settings, _ *cli.Console) (*report.Chart, error) {
	_, b, o, err := p.shown(ctx, src)
	if err != nil {
		return nil, err
	}
	return report.Leaderboard(b, o), nil
}

func (p *plot) matrix(ctx context.Context, src *source, _ *model.Settings, _ *cli.Console) (*report.Chart, error) {
	user, b, o, err := p.shown(ctx, src)
	if err != nil {
		return nil, err
	}
	return report.Matrix(ctx, src.model, user, b, o)
}

func (p *plot) course(ctx context.Context, src *source, _ *model.Settings, _ *cli.Console) (*report.Chart, error) {
	m, ok := src.model.(*model.Moving)
	if !ok {
		return nil, fmt.Errorf("nothing to show in a chart of the course: utilities of --model %s do not move; use --over month", src.model.Name())
	}
	_, _, o, err := p.shown(ctx, src)
	if err != nil {
		return nil, err
	}
	course, err := m.Trajectories(ctx, &model.BoardOptions{Level: p.level, Seed: p.seed})
	if err != nil {
		return nil, err
	}
	if c := report.Trajectories(course, o); c != nil {
		return c, nil
	}
	return nil, fmt.Errorf("nothing to show in a chart of the course: no two items are comparable")
}

func (p *plot) dependence(ctx context.Context, src *source, _ *model.Settings, c *cli.Console) (*report.Chart, error) {
	m, features, err := explain.Of(src.model)
	if err != nil {
		return nil, fmt.Errorf("nothing to show in a chart of dependence: %w", err)
	}
	c.Step("explaining", "explaining by features")
	defer c.Clear()
	all, err := explain.Dependences(ctx, m, features, &explain.Options{Level: p.level, Seed: p.seed})
	if err != nil {
		return nil, err
	}
	if chart := report.Dependence(all, p.level, report.Options{Elo: p.elo, Points: p.points, Language: p.lang, Fit: src.fit}); chart != nil {
		return chart, nil
	}
	return nil, fmt.Errorf("nothing to show in a chart of dependence: no feature has values of its own that differ between items")
}

func (p *plot) segments(ctx context.Context, src *source, _ *model.Settings, c *cli.Console) (*report.Chart, error) {
	c.Step("drawing voters again", "drawing voters again")
	defer c.Clear()
	s, err := report.NewSegmentation(ctx, src.model, p.level, report.Resamples, p.seed)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, fmt.Errorf("nothing to show in a chart of segments: %s", report.NoSegments(src.model))
	}
	return report.Segments(s, report.Options{Elo: p.elo, Points: p.points, Language: p.lang, Fit: src.fit}), nil
}

func (p *plot) categories(ctx context.Context, src *source, _ *model.Settings, _ *cli.Console) (*report.Chart, error) {
	if src.votes == nil {
		return nil, errors.New("nothing to show in a chart of categories: a model has no votes of them; take the votes with --per")
	}
	b, err := compare.Categories(ctx, src.votes.data, src.model, &compare.Options{Level: p.level, Seed: p.seed})
	if err != nil {
		return nil, err
	}
	o := report.Options{Elo: p.elo, Points: p.points, Top: p.top, Language: p.lang, Fit: src.fit}
	return report.Categories(&report.Breakdown{Breakdown: b, Columns: p.per}, o), nil
}

// survey draws a chart of a survey.
func (p *plot) survey(ctx context.Context, src *source, chart func(context.Context, *report.Survey, report.Options) (*report.Chart, error)) (*report.Chart, error) {
	anchor, _, err := p.anchored()
	if err != nil {
		return nil, err
	}
	about, err := p.surveying.about(src.model, anchor, p.seed)
	if err != nil {
		return nil, err
	}
	s, err := report.NewSurvey(ctx, src.model, about)
	if err != nil {
		return nil, err
	}
	c, err := chart(ctx, s, report.Options{Elo: p.elo, Points: p.points, Language: p.lang, Fit: src.fit})
	if err == nil && c == nil {
		err = fmt.Errorf("nothing to show: name an --anchor ITEM=0, of a model that is fitted with --model population")
	}
	return c, err
}

func (p *plot) traits(ctx context.Context, src *source, _ *model.Settings, _ *cli.Console) (*report.Chart, error) {
	_, b, err := p.board(ctx, src.model, p.seed)
	if err != nil {
		return nil, err
	}
	c, err := report.Traits(ctx, src.model, b.Level, report.Options{Language: p.lang})
	if err == nil && c == nil {
		err = fmt.Errorf("nothing to show in a chart of traits: the model knows nothing of how voters vote beside what they like")
	}
	return c, err
}

func (p *plot) reliability(ctx context.Context, src *source, o *model.Settings, c *cli.Console) (*report.Chart, error) {
	h, err := p.heldOut(ctx, src, o, p.folds, false, c)
	if err != nil {
		return nil, err
	}
	h.Language = p.lang
	return report.Reliability(h), nil
}

func (p *plot) learning(ctx context.Context, src *source, o *model.Settings, c *cli.Console) (*report.Chart, error) {
	h, err := p.heldOut(ctx, src, o, p.folds, true, c)
	if err != nil {
		return nil, err
	}
	if h.Lessons == nil {
		return nil, fmt.Errorf("too few votes for a learning curve, %d", src.votes.data.NumVotes())
	}
	h.Language = p.lang
	return report.Learning(h), nil
}
