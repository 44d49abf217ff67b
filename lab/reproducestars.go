package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceStars is the command that predicts ratings beside a matrix factorisation.
func newReproduceStars() *cobra.Command {
	p := paper.Stars()
	return newStudy(study{
		name:  "stars",
		short: "Ratings predicted, beside a matrix factorisation",
		long: `Learn from nine tenths of ratings, and predict the others: by fit --model ratings, by a
matrix factorisation with biases, by means of items and people, and by how often each
rating is given:
` + p.Lines() + `

Ridges, rank and rounds of the factorisation are those that predict a tenth of the
training ratings best, and its chances are learnt from that tenth. Errors are over people.`,
		example: `  go run ./lab reproduce stars --sets movielens-100k
  go run ./lab reproduce stars --sets jester,movielens-1m/1000 --data ~/data --json`,
		row:  "a set of ratings",
		sets: "`RATINGS`: " + strings.Join(p.Sets, ", "),
		data: true,
	}, p)
}
