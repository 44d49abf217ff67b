package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceRatings is the command that measures what ratings tell of new people.
type reproduceRatings struct {
	paper.GuestOptions
	experiment
}

func newReproduceRatings() *cobra.Command {
	r := &reproduceRatings{}
	cmd := &cobra.Command{
		Use:   "ratings",
		Short: "What is learnt from ratings, told by people who come after",
		Long: `Learn from all ratings of 600 people, as fit --model ratings reads them and as pairs by
fit --model population, take in 150 others by ten ratings each, and predict the order of their
other ratings. Beside it the items' mean ratings and what the nearest of the 600 people said,
as chances by a logistic; its scale and who is near are chosen on the 600 people.
Differences have paired errors over the 150 people.

The data are ratings of jokes (Jester: jester.csv.gz with user,item,rating, in a
folder jester) and of films (MovieLens 100K and 1M), in the folder named by --data or by the
variable PALATE_DATA.`,
		Example: `  go run ./lab reproduce ratings --sets jester
  go run ./lab reproduce ratings --sets jester --all-pairs --json`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	dataFlag(f, &r.Folder)
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.GuestSets(), ", "))
	f.BoolVar(&r.AllPairs, "all-pairs", false, "learn from all pairs of each person's ratings, too")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of which ratings are known, of pairs and fits")
	r.flags(f, "a model on a set")
	return cmd
}

func (r *reproduceRatings) run(cmd *cobra.Command, _ []string) error {
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	r.Progress = r.doing
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunGuests(cmd.Context(), r.GuestOptions), show[*paper.Table](&r.experiment), nil)
}
