package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceComparing is the command that holds comparisons to the truth.
func newReproduceComparing() *cobra.Command {
	p := paper.Comparing()
	return newStudy(study{
		name:  "comparing",
		short: "Whether items are better, and rose, as often as palate compare says",
		long: `Draw boards of 20 items, and hold what is said of them, with a probability, to the truth:
` + p.Lines() + `

Claims are sorted into ten bins by their probability. A bin's z is by how many standard
errors more of them came true than was said.`,
		example: `  go run ./lab reproduce comparing --sets items
  go run ./lab reproduce comparing --results comparing.jsonl`,
		row:     "a kind of claims",
		sets:    "`CLAIMS`: " + strings.Join(p.Sets, ", "),
		repeats: "worlds of each (default 500)",
	}, p)
}
