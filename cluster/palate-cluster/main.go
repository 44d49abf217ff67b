// Palate-cluster fits what palate fits, on Apache Beam: to votes of more people than one machine holds.
package main

import (
	"os"

	"github.com/spf13/cobra"

	"palate/cluster"
	"palate/internal/atomicfile"
	"palate/internal/cli"
)

func main() {
	if cluster.Worker(os.Args[1:]) {
		cluster.Start() // does not return
	}
	atomicfile.Exit(run(os.Args[1:]))
}

// run runs a command line and returns the exit code.
func run(args []string) int { return cli.Run(newRoot(), args) }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "palate-cluster",
		Short: "Fit a population of voters on Apache Beam",
		Long: `Fit a population of voters on Apache Beam, where votes are more than one machine takes:
the same fit as that of "palate fit --model population", with the same result and the same
model file. By itself it runs in this process (prism); --runner names Flink and others.

A folder holds all of it: the votes, dealt to shards by voter, and the fit. What was
killed goes on when it is run again, and ends with the same bytes.`,
	}
	root.AddCommand(newDeal(), newFit(), newFold(), newTop(), newPredict(), newEvaluate(), newTally())
	cli.Prepare(root)
	return root
}
