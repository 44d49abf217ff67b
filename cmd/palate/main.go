package main

import (
	"os"

	"palate/internal/aside"
	"palate/internal/cli"
)

func main() { aside.Exit(run(os.Args[1:])) }

// run runs a command line and returns the exit code.
func run(args []string) int { return cli.Run(newRoot(), args) }
