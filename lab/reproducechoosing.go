package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceChoosing is the command that holds auto to what it announces.
type reproduceChoosing struct {
	paper.ChoosingOptions
	data string
	experiment
}

func newReproduceChoosing() *cobra.Command {
	r := &reproduceChoosing{}
	cmd := &cobra.Command{
		Use:   "choosing",
		Short: "What auto announces of the model that it takes, beside what new answers give",
		Long: `Have auto choose a model for votes, and hold the cross-entropy that it announces to that
of new answers of the same voters:
` + strings.Join(paper.ChoosingAbout(), "\n") + `

The votes called llmfao and country are from the field, in five folds; other models stand
beside auto there, of llmfao as they are and with ties left out of what they learn from.
Those called disguised are the same votes again and again, in other orders and under other
names, and tell by how much the weights of models in the choice move. Votes from the field
are used only when they are asked for, and read from the folders field and sushi of --data
or of the variable PALATE_DATA.`,
		Example: `  go run ./lab reproduce choosing --repeats 40
  go run ./lab reproduce choosing --sets llmfao/id --data ~/data --results choosing.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringVar(&r.data, "data", os.Getenv("PALATE_DATA"), "`FOLDER` of the data sets")
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `VOTES`: "+strings.Join(paper.ChoosingSets(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of drawings of votes that are made up (default 20)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a model on some votes")
	f.Lookup("data").DefValue = ""
	return cmd
}

func (r *reproduceChoosing) run(cmd *cobra.Command, _ []string) error {
	r.Folder = paper.Folder(r.data)
	r.Progress = func(p paper.Progress) {
		r.doing(fmt.Sprintf("%s, %d of %d, %s", p.Set, p.Split+1, p.Splits, p.Model))
	}
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunChoosing(cmd.Context(), r.ChoosingOptions), func(w io.Writer, t *paper.WorldTable) error {
		if r.json {
			return lines(w, t.Rows)
		}
		return t.WriteText(w)
	}, nil)
}
