package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceAsking is the command that holds policies of asking against each other.
func newReproduceAsking() *cobra.Command {
	p := paper.Asking()
	return newStudy(study{
		name:  "asking",
		short: "Which pair to ask: policies of palate and of the field, by what their answers teach",
		long: `Ask about made-up items, by policies of palate and of others, and hold the order that
the answers give to the truth: Kendall's τ, whether the best item is first, and how
many of the ten best are among the first ten. Inference is the same for all policies;
lab/internal/asking says what each is.

Utilities have a deviation of 1 in units of the noise of a vote. All policies meet the
same items and start from the same ring of votes. With choice, best-worst and ranking
it is four of 20 items that are asked about at once, after sets that share no item, by the
policies of palate.`,
		example: `  go run ./lab reproduce asking --sets 20,100
  go run ./lab reproduce asking --sets 500 --model random,asap --results asking.jsonl`,
		row:     "a policy after so many votes",
		sets:    "`SETS`, numbers of items or ways to ask about several: " + strings.Join(p.Sets, ", "),
		models:  "`POLICIES`: " + strings.Join(p.Models, ", "),
		repeats: "sets of items (default 80)",
	}, p)
}
