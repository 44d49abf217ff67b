package main

import (
	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/survey"
)

// turf is the command that finds the portfolio that reaches most.
type turf struct {
	surveyed
	size, top int
	with      string
}

func newTurf() *cobra.Command {
	t := &turf{}
	cmd := &cobra.Command{
		Use:   "turf MODEL",
		Short: "Find the few items that reach most voters",
		Long: `Find the items that together reach most voters (TURF: total unduplicated reach and
frequency): those of which as many voters as possible have one among what they like best,
by their own tastes and as far as these are known.

Lines are in the order in which each item adds most, with reach and frequency of it and
those before it: the share of voters with one of them among the --top that they like
best, in percent, and how many of them a voter has there. The portfolio is the best of all
where all can be counted through, which a note says, and else found by taking items one
by one, with a bound on what any other could reach.

Columns: item,reach,frequency.`,
		Example: `  palate turf snacks.palate -k 3
  palate turf snacks.palate -k 5 --top 3 --with nuts`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: t.run,
	}
	t.flags(cmd)
	f := cmd.Flags()
	f.IntVarP(&t.size, "size", "k", 3, "`NUMBER` of items")
	f.IntVar(&t.top, "top", 1, "`NUMBER` of items that a voter likes best")
	f.StringVar(&t.with, "with", "", "`ITEMS` that are in it already, with | between")
	return cmd
}

func (t *turf) run(cmd *cobra.Command, args []string) error {
	c, ctx := &cli.Console{Quiet: t.quiet}, cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	if m.NumUsers() == 0 {
		return cli.Usage("--model %s does not tell voters apart, who are reached one by one; a model fitted with --model population does", m.Name())
	}
	with, err := itemsOf(m, "with", t.with, true)
	if err != nil {
		return err
	}
	switch n := m.NumItems(); {
	case t.size < max(1, len(with)) || t.size > n:
		return cli.Usage("-k %d: the portfolio has from %d to %d items", t.size, max(1, len(with)), n)
	case t.top < 1 || t.top >= n:
		return cli.Usage("--top %d: from 1 to %d of %d items", t.top, n-1, n)
	}
	users, err := t.voters(ctx, m, c)
	if err != nil {
		return err
	}
	reach, err := survey.Reaching(ctx, m, users, &survey.Options{Top: t.top, Seed: t.seed})
	if err != nil {
		return err
	}
	p, err := reach.Portfolio(ctx, t.size, with)
	if err != nil {
		return err
	}
	if p.Exact {
		c.Note("no other portfolio of %d reaches more", t.size)
	} else {
		c.Note("it was found by taking items one by one; no portfolio of %d reaches more than %.1f%%", t.size, 100*p.Bound)
	}
	rows := [][]string{{"item", "reach", "frequency"}}
	for k, i := range p.Items {
		so := reach.Of(p.Items[:k+1])
		rows = append(rows, []string{m.ItemID(i), number(100*so.Reach, 2), number(so.Frequency, 3)})
	}
	return t.rows(ctx, args[0], rows)
}
