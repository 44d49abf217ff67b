package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceExplaining is the command that holds explanations to planted effects.
func newReproduceExplaining() *cobra.Command {
	p := paper.Explaining()
	return newStudy(study{
		name:  "explaining",
		short: "Whether features have the effects that palate explain says",
		long: `Draw items with ten features, of which three have effects on what is liked, and hold
what palate explain says of them to these:
` + p.Lines() + `

Of features with an effect and of the others: how many are found to matter, and how many
intervals hold the truth, of importances, of differences between values and of linear
effects. Of three items of each world: whether the change that is said to make each
better would, and whether its gain is in its interval.`,
		example: `  go run ./lab reproduce explaining --sets shapes --repeats 20
  go run ./lab reproduce explaining --results explaining.jsonl`,
		row:     "a kind of worlds",
		sets:    "`WORLDS`: " + strings.Join(p.Sets, ", "),
		repeats: "worlds of each (default 100)",
	}, p)
}
