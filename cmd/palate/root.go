package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "palate",
		Short: "Learn what people prefer from votes between pairs",
		Long: `Palate turns votes between pairs ("she preferred the left one") into a ranking
that says how sure it is, and into the chances of pairs nobody voted on.

Votes are a CSV, TSV or JSONL file, gzipped or not, with a header. Either
  left,right,winner    winner is left, right, tie, skip, or the name of an item
  winner,loser         one win a row
with optional columns user, weight and time. "-" is standard input. There are many
other forms: see palate help formats.`,
		Example: `  palate demo             an example, explained
  palate rank votes.csv   rank your own votes`,
		Args:    noSuchCommand,
		Version: version(),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("palate {{.Version}}\n")
	root.AddCommand(
		newDemo(),
		newRank(),
		newFit(),
		newPredict(),
		newCompare(),
		newExplain(),
		newSegments(),
		newTop(),
		newNeighbours(),
		newShares(),
		newTurf(),
		newConsistency(),
		newDesign(),
		newExport(),
		newFactors(),
		newEvaluate(),
		newAgree(),
		newJudging(),
		newPlot(),
		newNext(),
		newAsk(),
		newTune(),
		newCheck(),
		newConvert(),
		newSimulate(),
		newServe(),
		newBackup(),
		newRestore(),
		newClient(),
		newLoad(),
		newMan(),
		newVersion(),
	)
	cli.Prepare(root)
	root.AddCommand(topics()...)
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = func(_ *cobra.Command, args []string) error {
			if found, _, err := root.Find(args); err == nil && found != root {
				return nil
			}
			return noSuchCommand(root, args)
		}
	}
	return root
}

// noSuchCommand explains a first word that is no command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var hint string
	if slices.Contains([]string{"reproduce", "bench"}, args[0]) {
		hint = fmt.Sprintf("it has moved to the lab: in a checkout of palate, go run ./lab %s", args[0])
	} else if _, err := os.Stat(args[0]); err == nil {
		hint = fmt.Sprintf("to rank the votes in that file: palate rank %s", args[0])
	} else if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	} else {
		hint = "see palate --help"
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
}
