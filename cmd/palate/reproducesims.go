package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"palate/paper"
)

// reproduceSimulations is the command that draws made-up crowds as in Simpson and
// Gurevych (2020), §6.2.
type reproduceSimulations struct {
	paper.SimulationOptions
	json    bool
	out     string
	figures string
	quiet   bool
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
		Example: `  palate reproduce simulations --repeats 5
  palate reproduce simulations --sets factors --json --figures out`,
		Args: explained(needs(0, 0, "")),
		RunE: marked(r.run),
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.SimulationSets(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of worlds a setting (default 25)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	f.BoolVar(&r.json, "json", false, "one JSON object a line: a model at a setting")
	f.StringVarP(&r.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&r.figures, "figures", "", "also draw figures into this `FOLDER`")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress")
	return cmd
}

func (r *reproduceSimulations) run(cmd *cobra.Command, _ []string) error {
	c := &console{quiet: r.quiet}
	r.Progress = func(p paper.Progress) {
		if c.bar == nil && !c.start("", -1) {
			return
		}
		c.bar.Describe(fmt.Sprintf("world %d of %d: %s", p.Done+1, p.Total, p.Set))
		c.bar.Add(1)
	}
	if err := r.Check(); err != nil {
		return usage("%w", err)
	}
	out, err := create(r.out)
	if err != nil {
		return err
	}
	defer out.discard()
	defer c.clear()
	for t, err := range paper.RunSimulations(cmd.Context(), r.SimulationOptions) {
		c.clear()
		if err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return errors.Join(err, out.commit())
		}
		if r.figures != "" {
			if err := t.Draw(r.figures); err != nil {
				return err
			}
		}
		if !r.json {
			if err := t.WriteText(out); err != nil {
				return err
			}
			continue
		}
		lines := json.NewEncoder(out)
		for _, row := range t.Rows {
			if err := lines.Encode(row); err != nil {
				return err
			}
		}
	}
	return out.commit()
}
