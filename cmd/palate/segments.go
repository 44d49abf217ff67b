package main

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/report"
)

// segmenting is the command that says in which segments voters come.
type segmenting struct {
	settings
	printing
	level     float64
	top       int
	resamples int
}

func newSegments() *cobra.Command {
	s := &segmenting{}
	cmd := &cobra.Command{
		Use:   "segments VOTES... | MODEL",
		Short: "Say in which segments of like tastes voters come",
		Long: `Say whether voters come in segments of like tastes, how many, and how probably; what each
likes more than the others do, its board, and who is of it. Segments are found by a
population model, where it was fitted in several forms at once.

Segments are found in any voters, also where there are none, so they are looked for again
in other samples: voters are drawn with replacement, as many segments fitted to them anew
without what was found before, and everybody put into the one that fits best. The adjusted
Rand index says how far that puts voters together as before: 1 is the same, 0 as by
chance. From 0.75 on segments are called stable, below 0.5 not stable.

For boards by a column of --users in place of segments that are found, use
"palate rank --per COLUMN --users FILE".

Columns of --csv: voter,segment,p_segment,kept, which are the likeliest segment, its
probability, and the share of samples in which the voter stayed with most of the
segment. --json has all. The charts are "palate plot segments" and "palate plot voters".`,
		Example: `  palate segments votes.csv
  palate segments snacks.palate --resamples 5
  palate segments votes.csv --csv -o voters.csv`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes or a model"),
		RunE: s.run,
	}
	f := cmd.Flags()
	f.IntVar(&s.resamples, "resamples", 10, "`NUMBER` of samples of voters in which segments are looked for again (0: none)")
	f.IntVar(&s.top, "top", 3, "name at most `K` items that a segment likes more, and less")
	s.printing.flags(cmd, "print CSV, a row for every voter", "print JSON, with all there is")
	f.Float64Var(&s.level, "level", 0.95, "`PROBABILITY` of intervals")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no notes and no legend")
	s.settings.flags(cmd, "population")
	return cmd
}

func (s *segmenting) run(cmd *cobra.Command, args []string) error {
	switch {
	case !(s.level > 0 && s.level < 1):
		return cli.Usage("--level %v is not between 0 and 1", s.level)
	case s.resamples < 0:
		return cli.Usage("--resamples %d is negative", s.resamples)
	case s.top < 1:
		return cli.Usage("--top %d is not positive", s.top)
	}
	options, err := s.options(cmd)
	if err != nil {
		return err
	}
	out, err := create(s.out, append(args, s.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: s.quiet}
	s.perVoter = true
	src, err := s.source(cmd, args, options, c)
	if err != nil {
		return err
	}
	c.Step("drawing voters again", "drawing voters again")
	found, err := report.NewSegmentation(cmd.Context(), src.model, s.level, s.resamples, s.seed)
	c.Clear()
	switch {
	case err != nil:
		return err
	case found == nil:
		return fmt.Errorf("no segments were looked for: %s", report.NoSegments(src.model))
	}
	found.Top = s.top
	return s.print(cmd.Context(), out, found, src.fit)
}
