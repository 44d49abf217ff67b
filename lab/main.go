package main

import (
	"os"

	"github.com/spf13/cobra"

	"palate/internal/atomicfile"
	"palate/internal/cli"
)

func main() { atomicfile.Exit(cli.Run(newRoot(), os.Args[1:])) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "lab",
		Short: "Experiments and measurements of palate",
		Long: `The lab is where palate is measured: published experiments, run again; how fast it
computes; how large its source is. It is not part of palate: run it in a checkout.`,
		Example: `  go run ./lab reproduce sushi --data ~/data
  go run ./lab bench`,
		Args: cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.AddCommand(newReproduce(), newBench(), newCount(), newPictures())
	cli.Prepare(root)
	return root
}
