package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"palate/paper"
)

// reproduce is the command that runs published experiments again.
type reproduce struct {
	data    string
	sets    []string
	models  []string
	repeats int
	folds   int
	seed    uint64
	json    bool
	out     string
	figures string
	quiet   bool
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
are reported, and the exit code is 1.`,
		Example: `  palate reproduce sushi --data ~/data
  palate reproduce sushi --sets A-small,A --model single --repeats 3
  palate reproduce convarg --folds 8
  palate reproduce collab --sets movielens-100k/honest --json`,
		Args:      needs(1, 1, "the name of an experiment ("+strings.Join(names, ", ")+")"),
		ValidArgs: names,
		RunE:      r.run,
	}
	f := cmd.Flags()
	f.StringVar(&r.data, "data", os.Getenv("PALATE_DATA"), "`FOLDER` of the data sets")
	f.StringSliceVar(&r.sets, "sets", nil, "only these `SETS`: a split, a data set, or data/split")
	f.StringSliceVar(&r.models, "model", nil, "these `MODELS`: "+strings.Join(modelNames(), ", "))
	f.IntVar(&r.repeats, "repeats", 0, "`NUMBER` of random splits (default: the paper's, or fewer where that takes long)")
	f.IntVar(&r.folds, "folds", 0, "`NUMBER` of folds to hold out, of an experiment that has them (default: all)")
	f.Uint64Var(&r.seed, "seed", 1, "`SEED` of the splits and fits")
	f.BoolVar(&r.json, "json", false, "one JSON object a line: a model on a set")
	f.StringVarP(&r.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&r.figures, "figures", "", "also draw figures into this `FOLDER`")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress")
	f.Lookup("data").DefValue = ""
	cmd.AddCommand(newReproduceLinks(), newReproduceSimulations(), newReproduceCrowd())
	return cmd
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
		return usage("%w", err)
	}
	c := &console{quiet: r.quiet}
	o := paper.Options{Folder: paper.Folder(r.data), Sets: r.sets, Models: r.models, Repeats: r.repeats, Folds: r.folds, Seed: r.seed, Progress: c.trying()}
	if err := e.Check(o); err != nil {
		return usage("%w", err)
	}
	out, err := create(r.out)
	if err != nil {
		return err
	}
	defer out.discard()
	defer c.clear()
	for table, err := range e.Run(cmd.Context(), o) {
		c.clear()
		if table != nil {
			if err := r.show(out, table); err != nil {
				return err
			}
		}
		if err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return errors.Join(err, out.commit())
		}
	}
	if r.figures != "" {
		if err := e.Draw(cmd.Context(), o, r.figures); err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return errors.Join(err, out.commit())
		}
	}
	return out.commit()
}

// show writes a table and draws its figures.
func (r *reproduce) show(out *output, t *paper.Table) error {
	if r.figures != "" {
		if err := t.Draw(r.figures); err != nil {
			return err
		}
	}
	if !r.json {
		return t.WriteText(out)
	}
	lines := json.NewEncoder(out)
	for _, row := range t.Rows {
		if err := lines.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

// trying returns a listener for an experiment.
func (c *console) trying() func(paper.Progress) {
	return func(p paper.Progress) {
		if c.bar == nil && !c.start("", -1) {
			return
		}
		c.bar.Describe(fmt.Sprintf("fit %d of %d: %s, split %d of %d, %s", p.Done+1, p.Total, p.Set, p.Split+1, p.Splits, p.Model))
		c.bar.Add(1)
	}
}
