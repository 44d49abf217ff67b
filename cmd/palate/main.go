package main

import (
	"os"
	_ "time/tzdata" // zones for --zone where the system has none, as in a container from scratch

	"palate/internal/atomicfile"
	"palate/internal/cli"
)

func main() { atomicfile.Exit(run(os.Args[1:])) }

// run runs a command line and returns the exit code.
func run(args []string) int { return cli.Run(newRoot(), args) }
