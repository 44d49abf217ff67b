package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/pprof"

	"github.com/spf13/cobra"

	"palate/cluster"
	"palate/internal/cli"
)

// fit is the command that fits a population.
type fit struct {
	deal
	fitting cluster.Fitting
	work    string
	out     string
	profile string
	model   string
}

func newFit() *cobra.Command {
	f := &fit{}
	cmd := &cobra.Command{
		Use:   "fit FOLDER | fit VOTES... --work FOLDER",
		Short: "Fit a population to votes",
		Long: `Fit a population to votes that were dealt to a folder, or deal them first. It is the
model of "palate fit --model population" of one form: a mean, factors of taste and own
tastes, fitted by the same steps; features of items and voters have no place here.

Every evaluation is a pipeline, and is kept in the folder when it is done. A fit that was
killed goes on when the same command is run again, and ends with the same bytes. With -o
all voters are gathered on this machine into a model file, as palate fit writes it; top,
predict, evaluate and fold do without it.`,
		Example: `  palate-cluster fit crowd -o people.palate
  palate-cluster fit 'gs://bucket/votes-*.parquet' --work gs://bucket/crowd --shards 256
  palate-cluster fit crowd --runner flink --endpoint localhost:8099`,
		Args: cli.Needs(1, 1<<20, "a folder, or files of votes"),
		RunE: f.run,
	}
	f.dealFlags(cmd)
	g := cmd.Flags()
	g.StringVar(&f.model, "model", "population", "`MODEL`: population; others are fitted on one machine")
	g.StringVar(&f.work, "work", "", "`FOLDER` to deal files of votes to")
	g.StringVarP(&f.out, "output", "o", "", "write a model to this `FILE`")
	g.IntVar(&f.fitting.Factors, "factors", 0, "`NUMBER` of factors of taste at most; 0: 20")
	g.IntVar(&f.fitting.Dense, "dense-items", 2000, "up to this `NUMBER` of items a matrix of items by items is made once, above its diagonal")
	g.IntVar(&f.fitting.Steps, "steps", 0, "`NUMBER` of steps at most of the climb, of which there are two; 0: 200")
	g.StringVar(&f.profile, "profile", "", "write where the processor's time went to this `FILE`, for go tool pprof")
	return cmd
}

func (f *fit) run(cmd *cobra.Command, args []string) error {
	if err := checkModel(f.model); err != nil {
		return err
	}
	if f.work == "" && len(args) > 1 {
		return cli.Usage("with files of votes, name the folder to deal them to, with --work FOLDER")
	}
	c, err := f.start()
	if err != nil {
		return err
	}
	if f.profile != "" {
		to, err := os.Create(f.profile)
		if err != nil {
			return err
		}
		defer to.Close()
		if err := pprof.StartCPUProfile(to); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	ctx := cmd.Context()
	var out *cli.Output
	if f.out != "" {
		if out, err = cli.Create(f.out, args...); err != nil {
			return err
		}
		defer out.Discard()
	}
	d, err := f.dealt(cmd, c, args)
	if err != nil {
		return interrupted(ctx, err)
	}
	f.fitting.Seed = f.dealing.Seed
	f.fitting.Progress = func(p cluster.Progress) {
		held := ""
		if !math.IsNaN(p.HeldOut) {
			held = fmt.Sprintf(", held-out loss %.5f", p.HeldOut)
		}
		if p.Again {
			held += " (as before)"
		}
		c.Note("evaluation %d: log evidence %.3f%s, %d voters in %d shards", p.Evaluation, p.Evidence, held, p.Persons, p.Shards)
	}
	fitted, err := f.fitting.Run(ctx, f.Runner, d)
	if err != nil || out == nil {
		return interrupted(ctx, err)
	}
	dir := filepath.Dir(f.out)
	m, closing, err := fitted.Gather(ctx, dir)
	if err != nil {
		return interrupted(ctx, err)
	}
	defer closing()
	if err := m.Save(ctx, out); err != nil {
		return interrupted(ctx, err)
	}
	if err := out.ReadBack(ctx, cluster.Whole); err != nil {
		return err
	}
	if err := out.Commit(ctx); err != nil {
		return err
	}
	c.Note("%s: %d voters, %d items, %d evaluations", f.out, m.NumUsers(), m.NumItems(), m.Fit().Stats.Sweeps)
	return nil
}

// dealt opens the folder, or deals to it what is not dealt yet.
func (f *fit) dealt(cmd *cobra.Command, c *cli.Console, args []string) (*cluster.Deal, error) {
	if f.work == "" {
		return cluster.OpenDeal(cmd.Context(), args[0])
	}
	if there, err := cluster.IsDealt(cmd.Context(), f.work); err != nil || there {
		if err != nil {
			return nil, err
		}
		c.Note("%s: votes were dealt to it before, and are not read again", f.work)
		return cluster.OpenDeal(cmd.Context(), f.work)
	}
	return f.make(cmd, c, args, f.work)
}
