package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceWorlds is the command that holds models to truths that they do not assume.
type reproduceWorlds struct {
	paper.WorldOptions
	experiment
}

func newReproduceWorlds() *cobra.Command {
	r := &reproduceWorlds{}
	cmd := &cobra.Command{
		Use:   "worlds",
		Short: "Made-up worlds: are boards and chances right on truths that no model assumes?",
		Long: `Draw votes from made-up worlds, most of which no model assumes, and hold the boards
of models, and what they say of each voter, to the truth:
` + strings.Join(paper.WorldsAbout(), "\n") + `

The columns of the tables:
` + strings.Join(paper.WorldMeasuresAbout(), "\n") + `

Beside the models of palate fit there are auto, which chooses one; check, for what
palate check finds in the votes; and, for people, two baselines by penalised
likelihood with penalties and temperature by cross-validation: voter-bt (Bradley–Terry
with utilities of each voter's own) and factors-3 (with three factors of taste).

The worlds called many take long, seconds to minutes a drawing, so that they are run
only when they are asked for; the model is that of one utility, along their links where
they have some.

Every model meets the same votes, but in the worlds called adaptive, whose pairs are
those that the model of one utility asks for.`,
		Example: `  go run ./lab reproduce worlds --sets coin,scale --repeats 200
  go run ./lab reproduce worlds --sets voters --model single,crowd --results worlds.jsonl
  go run ./lab reproduce worlds --sets people/own --json
  go run ./lab reproduce worlds --sets many --repeats 20 --results many.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `WORLDS`, by name, or of these kinds: "+strings.Join(paper.WorldSets(), ", "))
	f.StringSliceVar(&r.Models, "model", nil, "these `MODELS`, as of palate fit and those above (default: single and check for boards, all but check for people)")
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of drawings of each world (default 40)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a model in a world")
	return cmd
}

func (r *reproduceWorlds) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) {
		r.doing(fmt.Sprintf("fit %d of %d: %s, drawing %d of %d, %s", p.Done+1, p.Total, p.Set, p.Split+1, p.Splits, p.Model))
	}
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunWorlds(cmd.Context(), r.WorldOptions), func(w io.Writer, t *paper.WorldTable) error {
		if r.json {
			return lines(w, t.Rows)
		}
		return t.WriteText(w)
	}, nil)
}
