package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceTime is the command that holds utilities that move to the truth.
type reproduceTime struct {
	paper.TimeOptions
	experiment
}

func newReproduceTime() *cobra.Command {
	r := &reproduceTime{}
	cmd := &cobra.Command{
		Use:   "time",
		Short: "Utilities that move: how they stand, and what comes next, beside static models and ratings",
		Long: `Draw worlds of 20 items over 24 periods, with 40 votes in each, and hold models to the
truth:
` + strings.Join(paper.TimeAbout(), "\n") + `

The loss is the cross-entropy of votes between all pairs in the period to come, in nats,
with its difference from that of the moving model and the paired error. Covered is the
share of utilities of the last period within 95 % intervals. Steps of Elo and variances of
Glicko are those that foretold the training votes best; with --python kickscore runs beside
them, its kernel the likeliest of eight. lab/peers installs it.`,
		Example: `  go run ./lab reproduce time --sets walk,still
  go run ./lab reproduce time --python "$(lab/peers kickscore)" --results time.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `WORLDS`: "+strings.Join(paper.TimeSets(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of worlds of each (default 20)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	f.StringVar(&r.Python, "python", "", "`FILE` of a Python that has kickscore")
	r.flags(f, "a kind of worlds")
	return cmd
}

func (r *reproduceTime) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) { r.doing(fmt.Sprintf("%s, world %d of %d", p.Set, p.Split+1, p.Splits)) }
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunTime(cmd.Context(), r.TimeOptions), func(w io.Writer, t *paper.TimeTable) error {
		if r.json {
			return lines(w, []*paper.TimeTable{t})
		}
		return t.WriteText(w)
	}, nil)
}
