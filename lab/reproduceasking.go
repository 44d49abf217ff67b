package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceAsking is the command that holds policies of asking against each other.
type reproduceAsking struct {
	paper.AskingOptions
	experiment
}

func newReproduceAsking() *cobra.Command {
	r := &reproduceAsking{}
	cmd := &cobra.Command{
		Use:   "asking",
		Short: "Which pair to ask: policies of palate and of the field, by what their answers teach",
		Long: `Ask about made-up items, by policies of palate and of others, and hold the order that
the answers give to the truth: Kendall's τ, whether the best item is first, and how
many of the ten best are among the first ten. Inference is the same for all policies;
lab/internal/asking says what each is.

Utilities have a deviation of 1 in units of the noise of a vote. All policies meet the
same items and start from the same ring of votes.`,
		Example: `  go run ./lab reproduce asking --sets 20,100
  go run ./lab reproduce asking --sets 500 --model random,asap --results asking.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `NUMBERS` of items: "+strings.Join(paper.AskingSets(), ", "))
	f.StringSliceVar(&r.Models, "model", nil, "only these `POLICIES`: "+strings.Join(paper.AskingPolicies(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of sets of items (default 80)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a policy after so many votes")
	return cmd
}

func (r *reproduceAsking) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) {
		r.doing(fmt.Sprintf("%s, run %d of %d, %s", p.Set, p.Split+1, p.Splits, p.Model))
	}
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunAsking(cmd.Context(), r.AskingOptions), func(w io.Writer, t *paper.WorldTable) error {
		if r.json {
			return lines(w, t.Rows)
		}
		return t.WriteText(w)
	}, nil)
}
