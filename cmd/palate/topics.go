package main

import (
	"embed"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
)

// topicTexts are short guides; the first line is the title.
//
//go:embed topics
var topicTexts embed.FS

// topics returns the guides that "palate help" prints besides those of commands.
func topics() (all []*cobra.Command) {
	names, err := fs.Glob(topicTexts, "topics/*.txt")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, path := range names {
		text, err := topicTexts.ReadFile(path)
		if err != nil {
			panic(err) // it is part of the program
		}
		title, rest, _ := strings.Cut(string(text), "\n")
		_, short, _ := strings.Cut(title, ": ")
		name := strings.TrimSuffix(strings.TrimPrefix(path, "topics/"), ".txt")
		all = append(all, &cobra.Command{Use: name, Short: short, Long: title + "\n" + strings.TrimRight(rest, "\n")})
	}
	return all
}
