package main

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"palate/model"
)

// topicTexts are short guides; the first line is the title.
//
//go:embed topics
var topicTexts embed.FS

// modelList describes the models of the catalogue, in lines of up to 88 letters.
func modelList() string {
	const width, indent = 88, 17
	var list strings.Builder
	add := func(name, text string) {
		line := fmt.Sprintf("  %-*s", indent-2, name)
		for _, word := range strings.Fields(text) {
			if utf8.RuneCountInString(line)+utf8.RuneCountInString(word) > width {
				list.WriteString(strings.TrimRight(line, " ") + "\n")
				line = strings.Repeat(" ", indent)
			}
			line += word + " "
		}
		list.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	add("auto", "Chosen by what the votes hold: palate tries those that fit, and says which it took and why. The default.")
	for _, e := range model.Catalogue() {
		text := strings.ToUpper(e.About[:1]) + e.About[1:] + ": " + e.For + "."
		if e.Reads != 0 {
			text += " Reads " + e.Reads.String() + "."
		}
		if len(e.Aliases) > 0 {
			text += " Also called " + strings.Join(e.Aliases, ", ") + "."
		}
		add(e.Name, text)
	}
	return list.String()
}

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
		rest = strings.Replace(rest, "{{models}}\n", modelList(), 1)
		all = append(all, &cobra.Command{Use: name, Short: short, Long: title + "\n" + strings.TrimRight(rest, "\n")})
	}
	return all
}
