package main

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"palate"
	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
)

// simulate is the command that makes votes up.
type simulate struct {
	model.SimulateOptions
	votes, truth, items string
	curves
}

func newSimulate() *cobra.Command {
	s := &simulate{}
	cmd := &cobra.Command{
		Use:   "simulate",
		Short: "Draw votes from a model, with the truth beside them",
		Long: `Draw votes from a model: utilities of items, voters with tastes of their own
(crowd, population), noise, and ties. Write the votes, and if asked for, the
utilities they were drawn from and the features of the items. The same seed
gives the same files.

--truth has a row for each item: item,utility. Under crowd and population it has
user,item,utility; the rows without user are the consensus.`,
		Example: `  palate simulate --items 30 --votes 500 --seed 7 -o votes.csv --truth truth.csv
  palate simulate --features 3 --items-out items.csv --ties -o votes.csv
  palate simulate --votes 200 | palate rank -
  palate simulate --length 0.5 | palate rank - --context length_left,length_right
  palate simulate --policy soft-bald,random --votes 200   how fast policies learn`,
		Args: cli.Needs(0, 0, ""),
		RunE: s.run,
	}
	f := cmd.Flags()
	f.StringVar(&s.Model, "model", "single", "`MODEL`: "+strings.Join(drawable(), ", "))
	completes(cmd, "model", drawable()...)
	f.IntVar(&s.Items, "items", 20, "`NUMBER` of items")
	f.IntVar(&s.Users, "users", 0, "`NUMBER` of voters (0: no voters under single, else 10)")
	f.IntVar(&s.Votes, "votes", 1000, "`NUMBER` of votes")
	f.IntVar(&s.Features, "features", 0, "`NUMBER` of features of an item")
	f.Float64Var(&s.Ties, "ties", 0, "ties below this `MARGIN`, as in --ties=0.5; --ties alone is 0.3")
	f.Lookup("ties").NoOptDefVal = "0.3"
	f.Float64Var(&s.Drift, "drift", 0, "utilities move, by this `DEVIATION`, over the months of 2022 and 2023, when votes are cast; they get a column time")
	f.Float64Var(&s.Length, "length", 0, "answers have lengths, and one that is longer by 100 is `WORTH` so much more; votes get the columns length_left and length_right")
	f.Uint64Var(&s.Seed, "seed", 0, "`SEED` of all randomness")
	f.StringVarP(&s.votes, "output", "o", "-", "write the votes to this `FILE`")
	f.StringVar(&s.truth, "truth", "", "write the utilities to this `FILE`")
	f.StringVar(&s.items, "items-out", "", "write the items and their features to this `FILE`")
	s.curves.flags(cmd)
	return cmd
}

func (s *simulate) run(cmd *cobra.Command, _ []string) error {
	if err := s.curves.check(cmd); err != nil {
		return err
	}
	switch {
	case s.Items < 2:
		return cli.Usage("--items %d: it takes two to compare", s.Items)
	case s.Votes < 1:
		return cli.Usage("--votes %d: at least one", s.Votes)
	case s.Users < 0 || s.Features < 0 || !(s.Ties >= 0) || !(s.Drift >= 0):
		return cli.Usage("--users, --features, --ties and --drift cannot be negative")
	}
	ctx := cmd.Context()
	if s.curves.asked() {
		return s.draw(ctx)
	}
	d, truth, err := model.Simulate(ctx, s.SimulateOptions)
	if err != nil {
		return err
	}
	files := []struct {
		path  string
		write func(io.Writer) error
	}{
		{s.votes, func(w io.Writer) error { return ingest.WriteVotes(ctx, w, d) }},
		{s.truth, func(w io.Writer) error { return writeTruth(w, d, truth) }},
		{s.items, func(w io.Writer) error { return writeItems(w, d) }},
	}
	seen := map[string]bool{}
	var outs []*cli.Output
	for k, f := range files {
		if f.path == "" && k > 0 {
			continue
		}
		if seen[f.path] {
			return cli.Usage("two outputs go to %s", f.path)
		}
		seen[f.path] = true
		out, err := cli.Create(f.path)
		if err != nil {
			return err
		}
		defer out.Discard()
		if err := f.write(out); err != nil {
			return err
		}
		outs = append(outs, out)
	}
	for _, out := range outs {
		if err := out.Commit(ctx); err != nil {
			return err
		}
		ctx = context.WithoutCancel(ctx) // all of them or none
	}
	return nil
}

// writeTruth writes the consensus, then what each voter thinks when voters differ.
func writeTruth(w io.Writer, d *palate.Dataset, t *model.Truth) error {
	rows := [][]string{{"item", "utility"}}
	for i, f := range t.Consensus {
		rows = append(rows, []string{d.ItemID(i), decimal(f)})
	}
	if t.Personal != nil {
		rows[0] = append([]string{"user"}, rows[0]...)
		for i := range t.Consensus {
			rows[1+i] = append([]string{""}, rows[1+i]...)
		}
		users, items := t.Personal.Dims()
		for u := range users {
			for i := range items {
				rows = append(rows, []string{d.UserID(u), d.ItemID(i), decimal(t.Personal.At(u, i))})
			}
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func writeItems(w io.Writer, d *palate.Dataset) error {
	f := d.ItemFeatures()
	if f == nil {
		f = &palate.Features{Rows: d.NumItems()}
	}
	rows := [][]string{append([]string{"id"}, f.Names...)}
	for i := range d.NumItems() {
		row := []string{d.ItemID(i)}
		for _, x := range f.Row(i) {
			row = append(row, decimal(x))
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 6, 64) }
