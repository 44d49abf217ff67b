package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceComparing is the command that holds comparisons to the truth.
type reproduceComparing struct {
	paper.ComparingOptions
	experiment
}

func newReproduceComparing() *cobra.Command {
	r := &reproduceComparing{}
	cmd := &cobra.Command{
		Use:   "comparing",
		Short: "Whether items are better, and rose, as often as palate compare says",
		Long: `Draw boards of 20 items, and hold what is said of them, with a probability, to the truth:
` + strings.Join(paper.ComparingAbout(), "\n") + `

Claims are sorted into ten bins by their probability. A bin's z is by how many standard
errors more of them came true than was said.`,
		Example: `  go run ./lab reproduce comparing --sets items
  go run ./lab reproduce comparing --results comparing.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `CLAIMS`: "+strings.Join(paper.ComparingSets(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of worlds of each (default 500)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a kind of claims")
	return cmd
}

func (r *reproduceComparing) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) { r.doing(fmt.Sprintf("%s, world %d of %d", p.Set, p.Split+1, p.Splits)) }
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunComparing(cmd.Context(), r.ComparingOptions), func(w io.Writer, t *paper.ComparingTable) error {
		if r.json {
			return lines(w, []*paper.ComparingTable{t})
		}
		return t.WriteText(w)
	}, nil)
}
