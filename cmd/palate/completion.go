package main

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/active"
)

// shorten makes what flags are for fit on the line that shells show of each.
func shorten(cmd *cobra.Command) {
	const most = 72
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		words := strings.Fields(strings.ReplaceAll(f.Usage, "`", ""))
		f.Usage = ""
		for _, w := range words {
			if utf8.RuneCountInString(f.Usage)+1+utf8.RuneCountInString(w) > most {
				f.Usage += " …"
				break
			}
			f.Usage = strings.TrimSpace(f.Usage + " " + w)
		}
	})
	for _, sub := range cmd.Commands() {
		shorten(sub)
	}
}

// suggests tells the shell what the value of a flag may be, among others.
func suggests(cmd *cobra.Command, flag string, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is one of the command's own
	}
}

// completes makes a flag one that takes one of some words, or several of them with
// commas between where it is a list: the shell is told them, and any other is an error
// that says which may be meant.
func completes(cmd *cobra.Command, flag string, words ...string) {
	takes(cmd, flag, words, func(word string) bool { return slices.Contains(words, word) })
}

// takes does what completes does where some of the words stand for more, such as top-K.
func takes(cmd *cobra.Command, flag string, words []string, known func(word string) bool) {
	suggests(cmd, flag, words...)
	f := cmd.Flags().Lookup(flag)
	f.Value = &oneOf{f.Value, flag, words, known}
	if f.DefValue == "[]" {
		f.DefValue = ""
	}
}

// oneOf is the value of a flag that takes one of some words, or a list of them.
type oneOf struct {
	pflag.Value
	flag  string
	words []string
	known func(word string) bool
}

// Set takes a word, or refuses it.
func (o *oneOf) Set(text string) error {
	words := []string{text}
	if strings.HasPrefix(o.Type(), "stringSlice") {
		words = strings.Split(text, ",")
	}
	for _, w := range words {
		if !o.known(w) {
			return notOneOf("--"+o.flag, w, o.words)
		}
	}
	return o.Value.Set(text)
}

// goalFlag makes a flag one that takes a goal of asking, or one of some further words.
func goalFlag(cmd *cobra.Command, further ...string) {
	takes(cmd, "goal", append([]string{"ranking", "top-first", "best", "top-K"}, further...), func(word string) bool {
		_, err := active.ParseGoal(word)
		return err == nil || slices.Contains(further, word)
	})
}
