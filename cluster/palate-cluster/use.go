package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"palate/cluster"
	"palate/ingest"
	"palate/internal/cli"
)

// use is what commands that use a fit have in common.
type use struct {
	shared
	out    string
	format string
}

func (u *use) open(cmd *cobra.Command, folder string) (*cli.Console, *cluster.Fit, error) {
	c, err := u.start()
	if err != nil {
		return nil, nil, err
	}
	d, err := cluster.OpenDeal(cmd.Context(), folder)
	if err != nil {
		return nil, nil, err
	}
	f, err := cluster.OpenFit(cmd.Context(), d)
	return c, f, err
}

func (u *use) outFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&u.out, "output", "o", "", "`FOLDER` to write to, a file a shard (needed)")
	f.StringVar(&u.format, "format", "parquet", "`FORMAT` of the files: "+strings.Join(ingest.WriteFormats(), ", "))
}

func (u *use) check() error {
	if u.out == "" {
		return cli.Usage("name the folder to write to, with -o FOLDER")
	}
	if ingest.FormatOf("x."+u.format) == "" {
		return cli.Usage("--format %s: it is one of %s", u.format, strings.Join(ingest.WriteFormats(), ", "))
	}
	return nil
}

func newFold() *cobra.Command {
	u := &use{}
	into := ""
	cmd := &cobra.Command{
		Use:   "fold FOLDER --into FIT",
		Short: "Infer new voters under a population that was fitted",
		Long: `Infer the voters of a folder under the population of another: one evaluation, and the
population stays as it is. The votes were dealt with --like. The folder then serves top,
predict and evaluate as one that was fitted does.`,
		Example: `  palate-cluster deal new.csv --like crowd -o newcomers
  palate-cluster fold newcomers --into crowd
  palate-cluster top newcomers -n 10 -o lists`,
		Args: cli.Needs(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if into == "" {
				return cli.Usage("name the folder of the fit, with --into FOLDER")
			}
			c, f, err := u.open(cmd, into)
			if err != nil {
				return err
			}
			d, err := cluster.OpenDeal(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if _, err = f.Fold(cmd.Context(), u.Runner, d); err != nil {
				return interrupted(cmd.Context(), err)
			}
			c.Note("%s: %d voters", args[0], d.Persons())
			return nil
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "`FOLDER` of the fit (needed)")
	u.flags(cmd)
	return cmd
}

func newTop() *cobra.Command {
	u := &use{}
	top := cluster.Top{}
	cmd := &cobra.Command{
		Use:   "top FOLDER -o LISTS",
		Short: "List what each voter likes best, of all voters",
		Long: `List the items that each voter of a fit likes best, a file a shard. Columns:
user,rank,item,score,sd,chance. Scores are as of palate top; the chance is that the voter
picks the item over the first that is not listed.`,
		Example: `  palate-cluster top crowd -n 10 -o lists
  palate-cluster top crowd --unseen --format jsonl -o lists`,
		Args: cli.Needs(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := u.check(); err != nil {
				return err
			}
			_, f, err := u.open(cmd, args[0])
			if err != nil {
				return err
			}
			top.Format = u.format
			return interrupted(cmd.Context(), top.Write(cmd.Context(), u.Runner, f, u.out))
		},
	}
	f := cmd.Flags()
	f.IntVarP(&top.Number, "number", "n", 10, "`NUMBER` of items for each")
	f.BoolVar(&top.Unseen, "unseen", false, "leave out what a voter has voted on")
	u.outFlags(cmd)
	u.flags(cmd)
	return cmd
}

func newPredict() *cobra.Command {
	u := &use{}
	cmd := &cobra.Command{
		Use:   "predict FOLDER PAIRS... -o PREDICTIONS",
		Short: "Predict pairs, by voter",
		Long: `Predict which of two items voters pick, for files of pairs with the columns left, right
and user. Written are user,left,right,p, a file a shard: p is the chance of left, ties
apart; for voters who are not in the fit, that of somebody of whom nothing is known.`,
		Example: `  palate-cluster predict crowd 'pairs-*.csv' -o predictions`,
		Args:    cli.Needs(2, 1<<20, "a folder and files of pairs"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := u.check(); err != nil {
				return err
			}
			c, f, err := u.open(cmd, args[0])
			if err != nil {
				return err
			}
			found, err := f.Predict(cmd.Context(), u.Runner, args[1:], u.reading.Columns, u.format, u.out)
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			noteBad(c, u.out, found)
			return nil
		},
	}
	cmd.Flags().StringVar(&u.reading.Columns, "columns", "", "`ROLES` of columns with names of their own, as user=worker,left=a")
	u.outFlags(cmd)
	u.flags(cmd)
	return cmd
}

func newEvaluate() *cobra.Command {
	u := &use{}
	cmd := &cobra.Command{
		Use:   "evaluate FOLDER [VOTES...]",
		Short: "Score a fit on votes that were not learnt from",
		Long: `Score a fit on votes that were not learnt from: those that were held out when votes were
dealt with --hold-out, or those of files. Printed is a line of JSON: the votes, accuracy,
cross-entropy in nats, and Brier score. Ties are counted and left out.`,
		Example: `  palate-cluster evaluate crowd
  palate-cluster evaluate crowd later-*.csv`,
		Args: cli.Needs(1, 1<<20, "a folder, and files of votes"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, f, err := u.open(cmd, args[0])
			if err != nil {
				return err
			}
			s, err := f.Evaluate(cmd.Context(), u.Runner, args[1:], u.reading)
			if err != nil {
				return interrupted(cmd.Context(), err)
			}
			if s.NewVoters > 0 {
				c.Note("%g of %g votes are of voters who are not in the fit", s.NewVoters, s.Votes)
			}
			line, err := json.Marshal(s)
			if err == nil {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n", line)
			}
			return err
		},
	}
	u.reads(cmd)
	u.flags(cmd)
	return cmd
}
