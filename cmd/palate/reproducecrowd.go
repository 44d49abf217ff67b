package main

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"palate/paper"
)

// reproduceCrowd is the command that measures how the crowd model grows.
type reproduceCrowd struct {
	paper.ScalingOptions
	json    bool
	out     string
	figures string
	quiet   bool
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

The figures of the paper's data are "palate reproduce sushi" and "convarg", those of
its simulations "palate reproduce simulations".`,
		Example: `  palate reproduce crowd --sets scaling
  palate reproduce crowd --sets scaling --sizes 1000,10000 --json`,
		Args: explained(needs(0, 0, "")),
		RunE: marked(r.run),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.ScalingSets(), ", "))
	f.IntSliceVar(&r.Sizes, "sizes", nil, "`NUMBERS` of voters, and of items, of set scaling (default 1000,10000,100000)")
	f.IntSliceVar(&r.Inducing, "inducing", nil, "`NUMBERS` of inducing points of set inducing (default 25,50,100,200,400)")
	f.Float64Var(&r.Passes, "passes", 3, "go over all voters so `OFTEN`")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	f.BoolVar(&r.json, "json", false, "one JSON object a line: a size")
	f.StringVarP(&r.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&r.figures, "figures", "", "also draw figures into this `FOLDER`")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress")
	return cmd
}

func (r *reproduceCrowd) run(cmd *cobra.Command, _ []string) error {
	if err := r.Check(); err != nil {
		return usage("%w", err)
	}
	c := &console{quiet: r.quiet}
	r.Progress = func(what string) {
		if c.bar == nil && !c.start("", -1) {
			return
		}
		c.bar.Describe(what)
		c.bar.Add(1)
	}
	out, err := create(r.out)
	if err != nil {
		return err
	}
	defer out.discard()
	defer c.clear()
	lines := json.NewEncoder(out)
	var all []*paper.Scaling
	for s, err := range paper.RunScaling(cmd.Context(), r.ScalingOptions) {
		c.clear()
		if err == nil && r.json {
			err = lines.Encode(s)
		}
		if err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return errors.Join(err, out.commit())
		}
		all = append(all, s)
	}
	if r.figures != "" {
		if err := paper.DrawScaling(r.figures, all); err != nil {
			return err
		}
	}
	if !r.json {
		paper.WriteScaling(out, all)
	}
	return out.commit()
}
