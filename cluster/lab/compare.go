package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"palate"
	"palate/cluster"
	"palate/internal/cli"
	"palate/population"
)

func newCompare() *cobra.Command {
	c := crowd{}
	o := cluster.Fitting{}
	shards := 0
	cmd := &cobra.Command{
		Use:   "compare FOLDER",
		Short: "Fit votes on one machine and on prism",
		Long: `Make votes, fit them in memory as palate fit does and then, from a folder they are
dealt to, on prism; print how far evidence and populations are apart, and what processor
time both took. Neither making and reading of votes nor dealing is counted.`,
		Args: cli.Needs(1, 1, "a folder that is not there yet"),
		RunE: func(cmd *cobra.Command, args []string) error { return c.compare(cmd.Context(), args[0], shards, o) },
	}
	c.flags(cmd)
	cmd.Flags().IntVar(&shards, "shards", 16, "`NUMBER` of shards")
	cmd.Flags().IntVar(&o.Steps, "steps", 0, "`NUMBER` of steps of both climbs at most; 0: 200")
	cmd.Flags().IntVar(&o.Factors, "factors", 0, "`NUMBER` of factors of taste at most; 0: 20")
	return cmd
}

// processor is the time that this process took of processors so far.
func processor() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// timed keeps the evidence of every evaluation and says what it took.
type timed struct {
	population.Evaluator
	evidence []float64
}

func (t *timed) Evaluate(ctx context.Context, q population.Query) (*population.Statistics, error) {
	s, err := t.Evaluator.Evaluate(ctx, q)
	if err == nil {
		t.evidence = append(t.evidence, s.Evidence)
		fmt.Printf("one machine: evaluation %d, log evidence %.6f, %.1f s\n", len(t.evidence), s.Evidence, processor().Seconds())
	}
	return s, err
}

func (c *crowd) compare(ctx context.Context, folder string, shards int, o cluster.Fitting) error {
	b := palate.NewBuilder()
	err := c.say(0, c.voters, func(u, left, right int, leftWins bool) error {
		outcome := palate.Right
		if leftWins {
			outcome = palate.Left
		}
		return b.Say(fmt.Sprintf("v%0*d", width(c.voters), u), fmt.Sprintf("i%0*d", width(c.items), left), fmt.Sprintf("i%0*d", width(c.items), right), outcome)
	})
	if err != nil {
		return err
	}
	b.SortNames()
	d, err := b.Build()
	if err != nil {
		return err
	}
	b = nil
	people, err := population.NewPeople(d.NumItems(), d.Tallies(true))
	if err != nil {
		return err
	}
	one, err := population.NewShard(people, nil, population.Settings{})
	if err != nil {
		return err
	}
	items := d.NumItems()
	d = nil
	here := &timed{Evaluator: one}
	began := processor()
	want, err := population.LearnFrom(ctx, here, population.NewItems(items, nil, nil, nil), false, &population.Options{Rank: o.Factors, Seed: o.Seed, MaxSteps: o.Steps})
	if err != nil {
		return err
	}
	alone := processor() - began
	here.Evaluator, one, people = nil, nil, nil

	cluster.Start()
	runner := cluster.Runner{Name: "prism"}
	dealt, err := c.deal(ctx, runner, folder, shards)
	if err != nil {
		return err
	}
	var there []float64
	o.Progress = func(p cluster.Progress) {
		there = append(there, p.Evidence)
		fmt.Printf("prism: evaluation %d, log evidence %.6f, %.1f s\n", p.Evaluation, p.Evidence, processor().Seconds())
	}
	began = processor()
	got, err := o.Run(ctx, runner, dealt)
	if err != nil {
		return err
	}
	beam := processor() - began
	fmt.Printf("%d and %d evaluations, evidence apart by %.2g of itself at most, mean by %.2g, factors by %.2g, scale by %.2g of itself\n",
		len(here.evidence), len(there), apart(there, here.evidence, true), apart(got.Population().T, want.T, false), apart(got.Population().A, want.A, false), math.Abs(got.Population().Scale/want.Scale-1))
	fmt.Printf("one machine %.1f s, prism %.1f s of processors: %.3f times as much\n", alone.Seconds(), beam.Seconds(), beam.Seconds()/alone.Seconds())
	return nil
}

// deal makes the votes once more, as files of a folder, and deals them to another in it.
func (c *crowd) deal(ctx context.Context, r cluster.Runner, folder string, shards int) (*cluster.Deal, error) {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	votes := filepath.Join(folder, "votes.csv")
	if err := c.write(votes, 0, c.voters, false); err != nil {
		return nil, err
	}
	return cluster.Dealing{Shards: shards}.Make(ctx, r, []string{votes}, filepath.Join(folder, "crowd"))
}

// apart is the largest difference, of the number itself if relative.
func apart(a, b []float64, relative bool) (most float64) {
	if len(a) != len(b) {
		return math.NaN()
	}
	for k, x := range b {
		d := math.Abs(a[k] - x)
		if relative {
			d /= math.Abs(x)
		}
		most = max(most, d)
	}
	return most
}
