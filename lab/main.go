package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{
		Use:           "lab",
		Short:         "Experiments and measurements of palate",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newCount())
	if err := root.Execute(); err != nil {
		fmt.Fprintf(os.Stderr, "lab: %v\n", err)
		os.Exit(1)
	}
}
