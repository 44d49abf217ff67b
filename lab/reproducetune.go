package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceTune is the command that holds searches of spaces against each other.
type reproduceTune struct {
	paper.TuningOptions
	experiment
}

func newReproduceTune() *cobra.Command {
	r := &reproduceTune{}
	cmd := &cobra.Command{
		Use:   "tune",
		Short: "Searches by duels for the tops of known functions, beside BoTorch and chance",
		Long: `Search for the tops of known functions by noisy duels, with the policies of palate tune,
with BoTorch's PairwiseGP and EUBO where --python names one that has it, and by
duels at random, from which palate learns all the same. The regret is what the point that
is held to be best lacks of the top, in deviations of the function over its box. "above
first" is the difference of log regret to the first of the models on the same searches.
The sets few and known are not run unless they are named: ten parameters of which four
matter, and these four alone.`,
		Example: `  go run ./lab reproduce tune --sets branin --repeats 5
  go run ./lab reproduce tune --noise 0.3 --python "$(lab/peers botorch)" --results tune.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `FUNCTIONS`: "+strings.Join(paper.TuningSets(), ", "))
	f.StringSliceVar(&r.Models, "model", nil, "only these `SEARCHES`: "+strings.Join(paper.TuningModels(), ", "))
	f.Float64Var(&r.Noise, "noise", 0.3, "`DEVIATION` of the noise on each of two points, in those of the function")
	f.IntVar(&r.Duels, "duels", 0, "`NUMBER` of duels of a search (default 100)")
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of searches (default 20)")
	f.StringVar(&r.Python, "python", "", "`FILE` of a Python that has BoTorch")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a measure")
	return cmd
}

func (r *reproduceTune) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) {
		r.doing(fmt.Sprintf("%s, search %d of %d, %s", p.Set, p.Split+1, p.Splits, p.Model))
	}
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunTuning(cmd.Context(), r.TuningOptions), func(w io.Writer, t *paper.WorldTable) error {
		if r.figures != "" {
			if err := t.Draw(r.figures); err != nil {
				return err
			}
		}
		if r.json {
			return lines(w, t.Rows)
		}
		return t.WriteText(w)
	}, nil)
}
