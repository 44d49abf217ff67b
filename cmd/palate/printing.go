package main

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/report"
)

// printing says in which form a command prints what it found, and where to.
type printing struct {
	csv, json bool
	out       string
	quiet     bool // no notes and no legend
}

// flags are those of the form and the file, with what help says of CSV and of JSON. There is one form at a time.
func (p *printing) flags(cmd *cobra.Command, csv, json string) {
	f := cmd.Flags()
	f.BoolVar(&p.csv, "csv", false, csv)
	f.BoolVar(&p.json, "json", false, json)
	f.StringVarP(&p.out, "output", "o", "-", "write to this `FILE`")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if p.csv && p.json {
			return cli.Usage("--csv and --json exclude each other")
		}
		return nil
	}
}

// findings can be printed in every form.
type findings interface {
	WriteText(w io.Writer, o report.Options) error
	WriteCSV(w io.Writer, o report.Options) error
	WriteJSON(w io.Writer, o report.Options) error
}

// write writes findings in the form that was asked for.
func (p *printing) write(w io.Writer, f findings, o report.Options) error {
	switch {
	case p.csv:
		return f.WriteCSV(w, o)
	case p.json:
		return f.WriteJSON(w, o)
	}
	return f.WriteText(w, o)
}

// print writes findings, with a legend unless the command is quiet, and puts them into place.
func (p *printing) print(ctx context.Context, out *cli.Output, f findings, fit *report.Fit) error {
	return out.Print(ctx, func(w io.Writer) error {
		return p.write(w, f, report.Options{Legend: !p.quiet, Fit: fit})
	})
}

// create makes ready to write what follows from some inputs, of which one at most is
// standard input.
func create(path string, inputs ...string) (*cli.Output, error) {
	stdin := func(path string) bool { return path == "-" }
	if first := slices.IndexFunc(inputs, stdin); first >= 0 && slices.ContainsFunc(inputs[first+1:], stdin) {
		return nil, cli.Usage("standard input (-) can be read only once")
	}
	return cli.Create(path, inputs...)
}
