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

// reproduceAnswers is the command that learns from answers about several items.
type reproduceAnswers struct {
	paper.AnswersOptions
	data string
	experiment
}

func newReproduceAnswers() *cobra.Command {
	r := &reproduceAnswers{}
	cmd := &cobra.Command{
		Use:   "answers",
		Short: "Rankings, choices, best and worst as answers, and as pairs",
		Long: `Learn from answers about several items as they are, from their pairs with weights of
2/k, and from their pairs as votes of their own:
` + strings.Join(paper.AnswersAbout(), "\n") + `

Of made-up worlds, whose utilities are N(0, 1), it is shown how often 95% intervals of
scores hold the truth, how wide they are, and by how many nats a pair predictions are
worse than the truth; of sushi the loss of the pairs of 1,000 other people. Differences
are of the same answers.`,
		Example: `  go run ./lab reproduce answers --sets rankings,choices,best-worst --repeats 200
  go run ./lab reproduce answers --sets sushi/3,sushi/5,sushi/10 --data ~/data`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringVar(&r.data, "data", os.Getenv("PALATE_DATA"), "`FOLDER` of the data sets")
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `ANSWERS`: "+strings.Join(paper.AnswersSets(), ", "))
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of worlds, or samples of people, of each (default 40)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a kind of answers")
	f.Lookup("data").DefValue = ""
	return cmd
}

func (r *reproduceAnswers) run(cmd *cobra.Command, _ []string) error {
	r.Folder = paper.Folder(r.data)
	r.Progress = func(p paper.Progress) { r.doing(fmt.Sprintf("%s, %d of %d", p.Set, p.Split+1, p.Splits)) }
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunAnswers(cmd.Context(), r.AnswersOptions), func(w io.Writer, t *paper.AnswersTable) error {
		if r.json {
			return lines(w, []*paper.AnswersTable{t})
		}
		return t.WriteText(w)
	}, nil)
}
