package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Prepare makes a tree of commands, whose root it is given, speak and fail in one way.
func Prepare(root *cobra.Command) {
	root.SilenceErrors, root.SilenceUsage, root.DisableAutoGenTag = true, true, true
	root.SuggestionsMinimumDistance = 2
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
		if wrong := new(misuse); errors.As(err, &wrong) {
			return fmt.Errorf("%s: %w; see %s --help", cmd.Name(), wrong, cmd.CommandPath())
		}
		return fmt.Errorf("%w; see %s --help", WrongValue(err), cmd.CommandPath())
	})
	for _, cmd := range root.Commands() {
		explain(cmd)
	}
}

// WrongValue says of a flag that was given what is no number, or none that it can be, what it takes; other errors stay as
// they are.
func WrongValue(err error) error {
	var wrong *pflag.InvalidValueError
	var number *strconv.NumError
	if !errors.As(err, &wrong) || !errors.As(err, &number) {
		return err
	}
	f := wrong.GetFlag()
	what := "a number"
	switch kind := f.Value.Type(); {
	case kind == "bool":
		what = "true or false"
	case strings.HasPrefix(kind, "uint"):
		what = "a whole number from 0 on"
	case strings.HasPrefix(kind, "int"):
		what = "a whole number"
	}
	if errors.Is(number.Err, strconv.ErrRange) {
		what += " that there is room for"
	}
	return fmt.Errorf("--%s: %q is not %s", f.Name, wrong.GetValue(), what)
}

// explain prepares a command and those below it.
func explain(cmd *cobra.Command) {
	if cmd.Args != nil {
		cmd.Args = explained(cmd.Args)
	}
	if cmd.PreRunE != nil {
		cmd.PreRunE = marked(cmd.PreRunE)
	}
	if cmd.RunE != nil {
		cmd.RunE = marked(cmd.RunE)
	}
	cmd.Flags().SortFlags = false
	for _, sub := range cmd.Commands() {
		explain(sub)
	}
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

// Needs is a check that there are so many arguments at least, of the kind named,
// and no more than most.
func Needs(least, most int, what string) cobra.PositionalArgs {
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
		if err != nil && cmd.Context().Err() != nil && !errors.Is(err, ErrInterrupted) { // what the end of the context led to
			err = ErrInterrupted
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
