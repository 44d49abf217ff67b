package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceSimulations is the command that draws made-up crowds as in Simpson and
// Gurevych (2020), §6.2.
type reproduceSimulations struct {
	paper.SimulationOptions
	experiment
}

func newReproduceSimulations() *cobra.Command {
	r := &reproduceSimulations{}
	cmd := &cobra.Command{
		Use:   "simulations",
		Short: "Made-up crowds: is the truth found again?",
		Long: `Draw crowds from the model of "Scalable Bayesian preference learning for crowds"
(2020), §6.2, and ask how far the truth is found again:
` + strings.Join(paper.SimulationsAbout(), "\n") + `

Items and voters are points of a 10×10 grid, under Matérn 3/2 kernels of length 5.
Half of the items are not compared in the first three. Weights are matched to the
true ones greedily, by the size of their correlation, beside as many random ones.`,
		Example: `  go run ./lab reproduce simulations --repeats 5
  go run ./lab reproduce simulations --sets factors --json --figures out`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.SimulationSets(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of worlds a setting (default 25)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a model at a setting")
	return cmd
}

func (r *reproduceSimulations) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) { r.doing(fmt.Sprintf("world %d of %d: %s", p.Done+1, p.Total, p.Set)) }
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunSimulations(cmd.Context(), r.SimulationOptions), func(w io.Writer, t *paper.SimulationTable) error {
		if r.json {
			return lines(w, t.Rows)
		}
		return t.WriteText(w)
	}, nil)
}
