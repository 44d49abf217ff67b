package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// source is a model, fitted to votes or read from a file.
type source struct {
	model model.Model
	fit   *report.Fit
	votes *voteData // nil: the model was read from a file
}

// source reads a model or fits one to votes.
func (s *settings) source(cmd *cobra.Command, args []string, o *model.Settings, c *cli.Console) (*source, error) {
	var files []*input
	for _, path := range args {
		in, err := open(cmd.Context(), path)
		if err != nil {
			return nil, err
		}
		defer in.close()
		if in.isModel() {
			if len(args) > 1 {
				return nil, cli.Usage("%s is a model or an archive: use it alone, or use vote files", path)
			}
			return s.stored(cmd, in, c)
		}
		files = append(files, in)
	}
	if err := fitsOnly(cmd); err != nil {
		return nil, err
	}
	if err := distinct(files); err != nil {
		return nil, err
	}
	s.plan(c)
	v, err := readVotes(cmd.Context(), files, s, c)
	if err != nil {
		return nil, err
	}
	err = s.findAll(v)
	if err == nil && s.wants != nil {
		err = s.wants(v)
	}
	if err != nil {
		c.Clear()
		return nil, err
	}
	m, err := s.fit(cmd.Context(), v, o, c)
	if err != nil {
		return nil, err
	}
	return &source{m, s.summary(m, v), v}, nil
}

// fitsOnly refuses flags that have no effect on votes.
func fitsOnly(cmd *cobra.Command) error {
	return without(cmd, []string{"induce"}, "it is about new items of a model; a fit places all its items at once")
}

// stored reads a model, and places the items of a table and of links in it.
func (s *settings) stored(cmd *cobra.Command, in *input, c *cli.Console) (*source, error) {
	idle := ofFit()
	if s.links == "" {
		idle = append(idle, "new-items", "skip-bad", "induce")
	}
	if err := without(cmd, idle, in.path+" is a model, which is fitted already"); err != nil {
		return nil, err
	}
	m, fit, err := in.model()
	if err == nil {
		m, err = s.growth().extend(cmd.Context(), m, c)
	}
	if err != nil {
		return nil, err
	}
	return &source{model: m, fit: fit}, nil
}

// titleOf names what is in some files.
func titleOf(paths []string) string {
	var names []string
	for _, p := range paths {
		if p == "-" {
			p = "votes"
		}
		names = append(names, filepath.Base(p))
	}
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}

// commandLine shows how a command was called: the flags that were given, in the
// order of their help. Of files it has the names only: where they are is nobody
// else's business.
func commandLine(cmd *cobra.Command, args []string) string {
	line := []string{cmd.CommandPath()}
	for _, a := range args {
		line = append(line, quoted(a))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "bool" {
			line = append(line, "--"+f.Name)
			return
		}
		show := shell
		if of, _ := pflag.UnquoteUsage(f); of == "FILE" {
			show = quoted
		}
		for _, value := range givenTo(f) {
			line = append(line, "--"+f.Name, show(value))
		}
	})
	return strings.Join(line, " ")
}

// givenTo are the values that a flag was given, one for each time that it takes.
func givenTo(f *pflag.Flag) []string {
	text := f.Value.String()
	switch all := f.Value.(type) {
	case interface{ given() []string }:
		return all.given()
	case pflag.SliceValue:
		if f.Value.Type() == "stringArray" {
			return all.GetSlice()
		}
		return []string{strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")} // with commas between
	}
	return []string{text}
}

// quoted does as shell, with the last word of a path.
func quoted(word string) string { return shell(filepath.Base(word)) }

// shell shows a word as a shell takes it.
func shell(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n\"'`$&|;<>()*?[]{}~#!\\") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// ofVoters makes the model one about its voters alone.
func (s *source) ofVoters() error {
	var m model.Model
	var err error
	switch of := s.model.(type) {
	case *model.Single:
		m, err = of.TheseVoters()
	case *model.Average:
		m, err = of.TheseVoters()
	default:
		return cli.Usage("--about voters has no effect on --model %s: it is about the consensus of its voters", s.model.Name())
	}
	if err != nil {
		return fmt.Errorf("--about voters: %w", err)
	}
	s.model, s.fit.Form = m, m.Fit().Form
	return nil
}
