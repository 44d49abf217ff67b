package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduce is the command that runs published experiments again.
type reproduce struct {
	data    paper.Folder
	sets    []string
	models  []string
	repeats int
	folds   int
	seed    uint64
	experiment
}

func newReproduce() *cobra.Command {
	r := &reproduce{}
	var names, about []string
	for _, e := range paper.Experiments() {
		names = append(names, e.Name)
		about = append(about, fmt.Sprintf("  %-8s %s", e.Name, e.About))
	}
	cmd := &cobra.Command{
		Use:   "reproduce NAME",
		Short: "Run a published experiment again, the published figures beside ours",
		Long: `Run a published experiment again and print the published figures beside ours:
` + strings.Join(about, "\n") + `

The data may not be passed on, so get them yourself: a folder each, as unpacked, in
the folder named by --data or by the variable PALATE_DATA.

All models are fitted to the same splits, so differences between them have far
smaller errors than the figures themselves. After an interrupt the finished splits
are reported, and the exit code is 130. With --results every finished fit is kept in
a file, and a run that finds it there goes on from it; begin a new file when the data
or the version of palate change.`,
		Example: `  go run ./lab reproduce sushi --data ~/data
  go run ./lab reproduce sushi --sets A-small,A --model single --repeats 3
  go run ./lab reproduce convarg --model published-u,pooled-GPPL --results convarg.jsonl
  go run ./lab reproduce collab --sets movielens-100k/honest --json`,
		Args:      cli.Needs(1, 1, "the name of an experiment ("+strings.Join(names, ", ")+")"),
		ValidArgs: names,
		RunE:      r.run,
	}
	f := cmd.Flags()
	dataFlag(f, &r.data)
	f.StringSliceVar(&r.sets, "sets", nil, "only these `SETS`: a split, a data set, or data/split")
	f.StringSliceVar(&r.models, "model", nil, "these `MODELS`: "+strings.Join(modelNames(), ", "))
	f.IntVar(&r.repeats, "repeats", 0, "`NUMBER` of random splits (default: the paper's, or fewer where that takes long)")
	f.IntVar(&r.folds, "folds", 0, "`NUMBER` of folds to hold out, of an experiment that has them (default: all)")
	f.Uint64Var(&r.seed, "seed", 1, "`SEED` of the splits and fits")
	r.flags(f, "a model on a set")
	cmd.AddCommand(studies()...)
	return cmd
}

// studies are the experiments with sets and settings of their own, beside those of
// paper.Experiments, which share theirs.
func studies() []*cobra.Command {
	return []*cobra.Command{newReproduceLinks(), newReproduceSimulations(), newReproduceCrowd(), newReproduceRatings(), newReproduceStars(), newReproduceWorlds(), newReproduceFeatures(), newReproduceAsking(), newReproduceChoosing(), newReproduceComparing(), newReproduceTune(), newReproduceAnswers(), newReproduceMaxDiff(), newReproduceTime(), newReproduceExplaining()}
}

func modelNames() (names []string) {
	for _, m := range paper.Methods() {
		names = append(names, m.Name)
	}
	return names
}

func (r *reproduce) run(cmd *cobra.Command, args []string) error {
	e, err := paper.Find(args[0])
	if err != nil {
		return cli.Usage("%w", err)
	}
	o := paper.Options{Folder: r.data, Sets: r.sets, Models: r.models, Repeats: r.repeats, Folds: r.folds, Seed: r.seed}
	o.Progress = func(p paper.Progress) { r.doing(p.String()) }
	if err := e.Check(o); err != nil {
		return cli.Usage("%w", err)
	}
	if o.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, e.Run(cmd.Context(), o), show[*paper.Table](&r.experiment), func(io.Writer) error {
		if r.figures == "" {
			return nil
		}
		return e.Draw(cmd.Context(), o, r.figures)
	})
}
