package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceAnswers is the command that learns from answers about several items.
func newReproduceAnswers() *cobra.Command {
	p := paper.Answers()
	return newStudy(study{
		name:  "answers",
		short: "Rankings, choices, best and worst, ratings as answers, and as pairs",
		long: `Learn from answers about several items as they are, from their pairs with weights of
2/k, and from their pairs as votes of their own:
` + p.Lines() + `

Of made-up worlds, whose utilities are N(0, 1), it is shown how often 95% intervals of
scores hold the truth, how wide they are, and by how many nats a pair predictions are
worse than the truth; of sushi the loss of the pairs of 1,000 other people, with a
population in which each ranking is a person's, Plackett–Luce and, by --python, choix
beside. Differences are of the same answers.`,
		example: `  go run ./lab reproduce answers --sets rankings,choices,best-worst --repeats 200
  go run ./lab reproduce answers --sets sushi/3,sushi/10 --python "$(lab/peers choix)"`,
		row:     "a kind of answers",
		sets:    "`ANSWERS`: " + strings.Join(p.Sets, ", "),
		repeats: "worlds, or samples of people, of each (default 40)",
		data:    true,
		python:  true,
	}, p)
}
