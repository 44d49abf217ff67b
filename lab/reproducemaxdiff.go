package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceMaxDiff is the command that reads made-up surveys by best and worst.
func newReproduceMaxDiff() *cobra.Command {
	p := paper.MaxDiff()
	return newStudy(study{
		name:  "maxdiff",
		short: "Surveys by best and worst: everybody's utilities, shares, portfolios",
		long: `Make up surveys in which people name the best and the worst of four items (MaxDiff), and
read them as answers of a population, as votes between pairs of it, and as one logit of all
votes:
` + p.Lines() + `

Shown are the correlation of everybody's utilities with the truth, by how many points
shares of preference are off, in the mean over items, how often 95% intervals of
everybody's scores hold the truth, and what share of the reach of the best portfolio of
four is lost by the one that is found.`,
		example: `  go run ./lab reproduce maxdiff --sets own,factors,segments
  go run ./lab reproduce maxdiff --sets few --repeats 20`,
		row:     "a survey",
		sets:    "`SURVEYS`: " + strings.Join(p.Sets, ", "),
		repeats: "surveys of each (default 5)",
	}, p)
}
