package main

import (
	"os"
	_ "time/tzdata" // zones for --zone where the system has none, as in a container from scratch

	"github.com/spf13/cobra"

	"palate/internal/atomicfile"
	"palate/internal/cli"
)

func main() { atomicfile.Exit(run(os.Args[1:])) }

// run runs a command line and returns the exit code.
func run(args []string) int {
	root := newRoot()
	if len(args) > 0 && args[0] == cobra.ShellCompRequestCmd {
		shorten(root)
	}
	return cli.Run(root, args)
}
