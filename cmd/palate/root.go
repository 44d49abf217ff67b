package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		Args:              noSuchCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Version:           version(),
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("palate {{.Version}}\n")
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages |", ".FlagUsagesWrapped 100 |"))
	root.SetOut(os.Stdout)
	root.SetErr(os.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		var unknown *pflag.NotExistError
		if errors.As(err, &unknown) {
			if near := flagsLike(cmd, unknown.GetSpecifiedName()); len(near) > 0 {
				return fmt.Errorf("%w; did you mean --%s? See %s --help", err, strings.Join(near, " or --"), cmd.CommandPath())
			}
		}
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	commands := []*cobra.Command{
		newDemo(),
		newRank(),
		newFit(),
		newPredict(),
		newFactors(),
		newEvaluate(),
		newAgree(),
		newPlot(),
		newNext(),
		newAsk(),
		newCheck(),
		newConvert(),
		newSimulate(),
		newServe(),
		newClient(),
		newLoad(),
		newReproduce(),
		newBench(),
		newMan(),
		newVersion(),
	}
	for _, c := range commands {
		c.Args = explained(c.Args)
		c.RunE = marked(c.RunE)
		c.Flags().SortFlags = false
		root.AddCommand(c)
	}
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

// flagsLike returns the flags of a command that are spelt nearly like a name, or
// begin with it.
func flagsLike(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2} // for words of its own it knows how
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	if len(name) < 3 {
		return nil
	}
	near := names.SuggestionsFor(name)
	return near[:min(len(near), 3)]
}

// needs is a check that there are so many arguments at least, of the kind named,
// and no more than most.
func needs(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s is missing", what)
		case len(args) > most:
			return fmt.Errorf("%q is one argument too many", args[most])
		}
		return nil
	}
}

// explained adds to a complaint about arguments where to look.
func explained(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return fmt.Errorf("%s: %w; see %s --help", cmd.Name(), err, cmd.CommandPath())
		}
		return nil
	}
}

// marked tells what goes wrong at work from wrong usage.
func marked(work func(*cobra.Command, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := work(cmd, args)
		if err != nil && cmd.Context().Err() != nil && !errors.Is(err, errInterrupted) { // what the end of the context led to
			err = errInterrupted
		}
		switch err.(type) {
		case nil:
			return nil
		case *misuse:
			return fmt.Errorf("%s: %w; see %s --help", cmd.Name(), err, cmd.CommandPath())
		}
		return &failure{err}
	}
}

// noSuchCommand explains a first word that is no command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var hint string
	if _, err := os.Stat(args[0]); err == nil {
		hint = fmt.Sprintf("to rank the votes in that file: palate rank %s", args[0])
	} else if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %s?", strings.Join(near, " or "))
	} else {
		hint = "see palate --help"
	}
	return fmt.Errorf("unknown command %q; %s", args[0], hint)
}
