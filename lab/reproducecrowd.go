package main

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceCrowd is the command that measures how the crowd model grows.
type reproduceCrowd struct {
	paper.ScalingOptions
	experiment
}

func newReproduceCrowd() *cobra.Command {
	r := &reproduceCrowd{}
	cmd := &cobra.Command{
		Use:   "crowd",
		Short: "How the time and memory of the crowd model grow with votes",
		Long: `Fit made-up crowds of growing size by stochastic steps, with as many inducing
points, factors and voters in a batch at every size (set scaling), and crowds of
10,000 voters with growing numbers of inducing points (set inducing): "Scalable
Bayesian preference learning for crowds" (2020), figures 2 and 3. Beside time and
memory: how many of the votes held out are predicted, by the crowd, by a consensus
alone, and by the utilities that drew them.

The figures of the paper's data are "go run ./lab reproduce sushi" and "convarg", those of
its simulations "go run ./lab reproduce simulations".`,
		Example: `  go run ./lab reproduce crowd --sets scaling
  go run ./lab reproduce crowd --sets scaling --sizes 1000,10000 --json`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.ScalingSets(), ", "))
	f.IntSliceVar(&r.Sizes, "sizes", nil, "`NUMBERS` of voters, and of items, of set scaling (default 1000,10000,100000)")
	f.IntSliceVar(&r.Inducing, "inducing", nil, "`NUMBERS` of inducing points of set inducing (default 25,50,100,200,400)")
	f.Float64Var(&r.Passes, "passes", 3, "go over all voters so `OFTEN`")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a size")
	return cmd
}

func (r *reproduceCrowd) run(cmd *cobra.Command, _ []string) error {
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	r.Progress = r.doing
	var all []*paper.Scaling
	show := func(w io.Writer, s *paper.Scaling) error {
		all = append(all, s)
		if r.json {
			return json.NewEncoder(w).Encode(s)
		}
		return nil
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunScaling(cmd.Context(), r.ScalingOptions), show, func(w io.Writer) error {
		if !r.json {
			paper.WriteScaling(w, all)
		}
		if r.figures == "" {
			return nil
		}
		return paper.DrawScaling(r.figures, all)
	})
}
