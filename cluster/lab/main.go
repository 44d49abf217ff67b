// The lab of palate-cluster makes votes of any number of voters, and fits them on one machine and on prism, side by side.
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
		Short: "Measurements of palate-cluster",
		Long: `Make votes of any number of voters, and measure what fits to them take on prism beside
one machine. It is not part of palate-cluster: run it in a checkout.`,
		Example: `  go -C cluster run ./lab votes --voters 200000 --each 50 --items 2000 -o votes
  go -C cluster run ./lab compare --voters 20000 --each 50 --items 2000 --steps 3 crowd`,
	}
	root.AddCommand(newVotes(), newCompare())
	cli.Prepare(root)
	return root
}
