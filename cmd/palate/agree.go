package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"palate/agree"
	"palate/internal/cli"
	"palate/report"
)

// agreement is the command that says how far voters agree.
type agreement struct {
	printing
	level    float64
	most     int
	clusters int
	skipBad  bool
	per      []string
	reading
	seed uint64
}

func newAgree() *cobra.Command {
	a := &agreement{}
	cmd := &cobra.Command{
		Use:   "agree VOTES...",
		Short: "Say how far voters agree, and who does not",
		Long: `Compare every voter with the consensus of the others: how often they agree, how
far their votes follow the items at all (reliability), how often they call a tie,
whether they pick a side, and on which items they differ. Voters are sorted into
clusters with rankings of their own, if there are any; Krippendorff's α sums it
up, and voters who do not seem to look at the items are named. That is a
suspicion, not a proof.

--csv prints a row for every voter: voter, votes, agrees, expected, reliability,
ties and picks_left with their intervals (_lo, _hi), how many pairs were judged more
than once and contradicted, cluster and membership, suspected, remark, and the
items they like more or less than the others do.`,
		Example: `  palate agree votes.csv
  palate agree votes.csv --csv -o voters.csv`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: a.run,
	}
	f := cmd.Flags()
	a.printing.flags(cmd, "print CSV, a row for every voter", "print JSON")
	f.Float64Var(&a.level, "level", 0.95, "`PROBABILITY` of intervals")
	f.IntVar(&a.most, "show", 20, "at most this `NUMBER` of voters in the table (0: all)")
	f.IntVar(&a.clusters, "clusters", 5, "the largest `NUMBER` of clusters to look for")
	a.reading.flags(cmd)
	perFlag(cmd, &a.per)
	f.BoolVar(&a.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.Uint64Var(&a.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes and no legend")
	return cmd
}

func (a *agreement) run(cmd *cobra.Command, args []string) error {
	switch {
	case !(a.level > 0 && a.level < 1):
		return cli.Usage("--level %v is not between 0 and 1", a.level)
	case a.most < 0:
		return cli.Usage("--show %d is negative", a.most)
	case a.clusters < 1:
		return cli.Usage("--clusters %d: at least 1 is needed", a.clusters)
	}
	out, err := create(a.out, args...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: a.quiet}
	v, err := votesIn(cmd.Context(), args, &settings{skipBad: a.skipBad, per: a.per, reading: a.reading, pairing: pairing{maxPairs: 1000}}, c)
	if err != nil {
		return err
	}
	if !v.data.HasUsers() {
		return fmt.Errorf("the votes name no voters: add a column user")
	}
	c.Step("comparing voters", "comparing voters")
	result, err := agree.Analyse(cmd.Context(), v.data, &agree.Options{Unsided: !v.sided, Level: a.level, Clusters: a.clusters, Seed: a.seed})
	c.Clear()
	if err != nil {
		return err
	}
	show := report.AgreementOptions{Items: v.data.ItemID, Most: a.most, Legend: !a.quiet}
	return out.Print(cmd.Context(), func(w io.Writer) error {
		switch {
		case a.csv:
			return report.AgreementCSV(w, result)
		case a.json:
			return report.AgreementJSON(w, result, show)
		}
		who := "by " + count(len(result.Voters), "voter")
		if len(a.per) > 0 {
			who = fmt.Sprintf("in %d categories of %s, each in the place of a voter", len(result.Voters), strings.Join(a.per, " and "))
		}
		fmt.Fprintf(w, "%s on %s %s\n\n", count(v.data.NumVotes(), "vote"), count(v.data.NumItems(), "item"), who)
		return report.AgreementTable(w, result, show)
	})
}
