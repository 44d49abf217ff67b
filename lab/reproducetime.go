package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceTime is the command that holds utilities that move to the truth.
func newReproduceTime() *cobra.Command {
	p := paper.Time()
	return newStudy(study{
		name:  "time",
		short: "Utilities that move: how they stand, and what comes next, beside static models and ratings",
		long: `Draw worlds of 20 items over 24 periods, with 40 votes in each, and hold models to the
truth:
` + p.Lines() + `

The loss is the cross-entropy of votes between all pairs in the period to come, in nats,
with its difference from that of the moving model and the paired error. Covered is the
share of utilities of the last period within 95 % intervals. Steps of Elo and variances of
Glicko are those that predicted the training votes best; with --python kickscore runs beside
them, its kernel the likeliest of eight. lab/peers installs it.`,
		example: `  go run ./lab reproduce time --sets walk,still
  go run ./lab reproduce time --python "$(lab/peers kickscore)" --results time.jsonl`,
		row:     "a kind of worlds",
		sets:    "`WORLDS`: " + strings.Join(p.Sets, ", "),
		repeats: "worlds of each (default 20)",
		python:  true,
	}, p)
}
