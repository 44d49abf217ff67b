package main

import (
	"github.com/spf13/cobra"
)

// completes tells the shell what the value of a flag may be.
func completes(cmd *cobra.Command, flag string, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is one of the command's own
	}
}
