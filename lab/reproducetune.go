package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/lab/internal/paper"
)

// newReproduceTune is the command that holds searches of spaces against each other.
func newReproduceTune() *cobra.Command {
	p := paper.Tuning()
	return newStudy(study{
		name:  "tune",
		short: "Searches by duels for the tops of known functions, beside BoTorch and chance",
		long: `Search for the tops of known functions by noisy duels, with the policies of palate tune,
with BoTorch's PairwiseGP and EUBO where --python names one that has it, and by
duels at random, from which palate learns all the same. The regret is what the point that
is held to be best lacks of the top, in deviations of the function over its box. "above
first" is the difference of log regret to the first of the models on the same searches.
The sets few and known are not run unless they are named: ten parameters of which four
matter, and these four alone.`,
		example: `  go run ./lab reproduce tune --sets branin --repeats 5
  go run ./lab reproduce tune --noise 0.3 --python "$(lab/peers botorch)" --results tune.jsonl`,
		row:     "a measure",
		sets:    "`FUNCTIONS`: " + strings.Join(p.Sets, ", "),
		models:  "`SEARCHES`: " + strings.Join(p.Models, ", "),
		repeats: "searches (default 20)",
		python:  true,
		more: func(f *pflag.FlagSet, o *paper.StudyOptions) {
			f.Float64Var(&o.Noise, "noise", 0.3, "`DEVIATION` of the noise on each of two points, in those of the function")
			f.IntVar(&o.Duels, "duels", 0, "`NUMBER` of duels of a search (default 100)")
		},
	}, p)
}
