package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceSimulations is the command that draws made-up crowds as in Simpson and Gurevych (2020), §6.2.
func newReproduceSimulations() *cobra.Command {
	p := paper.Simulations()
	return newStudy(study{
		name:  "simulations",
		short: "Made-up crowds: is the truth found again?",
		long: `Draw crowds from the model of "Scalable Bayesian preference learning for crowds"
(2020), §6.2, and ask how far the truth is found again:
` + p.Lines() + `

Items and voters are points of a 10×10 grid, under Matérn 3/2 kernels of length 5.
Half of the items are not compared in the first three. Weights are matched to the
true ones greedily, by the size of their correlation, beside as many random ones.`,
		example: `  go run ./lab reproduce simulations --repeats 5
  go run ./lab reproduce simulations --sets factors --json --figures out`,
		row:     "a model at a setting",
		sets:    "`SETS`: " + strings.Join(p.Sets, ", "),
		repeats: "worlds a setting (default 25)",
	}, p)
}
