package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/lab/internal/paper"
)

// newReproduceRatings is the command that measures what ratings tell of new people.
func newReproduceRatings() *cobra.Command {
	p := paper.Guests()
	return newStudy(study{
		name:  "ratings",
		short: "What is learnt from ratings, told by people who come after",
		long: `Learn from all ratings of 600 people, as fit --model ratings reads them and as pairs by
fit --model population, take in 150 others by ten ratings each, and predict the order of their
other ratings. Beside it the items' mean ratings and what the nearest of the 600 people said,
as chances by a logistic; its scale and who is near are chosen on the 600 people.
Differences have paired errors over the 150 people.

The data are ratings of jokes (Jester: jester.csv.gz with user,item,rating, in a
folder jester) and of films (MovieLens 100K and 1M), in the folder named by --data or by the
variable PALATE_DATA.`,
		example: `  go run ./lab reproduce ratings --sets jester
  go run ./lab reproduce ratings --sets jester --all-pairs --json`,
		row:  "a model on a set",
		sets: "`SETS`: " + strings.Join(p.Sets, ", "),
		data: true,
		more: func(f *pflag.FlagSet, o *paper.StudyOptions) {
			f.BoolVar(&o.AllPairs, "all-pairs", false, "learn from all pairs of each person's ratings, too")
		},
	}, p)
}
