package main

import (
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// study is a command that runs an experiment with sets and tables of its own: its texts,
// and which of the settings it has.
type study struct {
	name, short, long, example string
	row                        string // what an object of --json is
	sets, models, repeats      string // what these flags take; a study without models has no --model, and one without repeats no --repeats
	data, python               bool   // whether it has these flags
	more                       func(*pflag.FlagSet, *paper.StudyOptions)
}

// table is what a study yields.
type table interface{ WriteText(io.Writer) error }

// newStudy returns the command of a study.
func newStudy[T interface {
	comparable
	table
}](s study, p paper.Study[T]) *cobra.Command {
	var o paper.StudyOptions
	var x experiment
	cmd := &cobra.Command{
		Use: s.name, Short: s.short, Long: s.long, Example: s.example,
		Args: cli.Needs(0, 0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.Check(o); err != nil {
				return cli.Usage("%w", err)
			}
			var err error
			if o.Results, err = x.results(); err != nil {
				return err
			}
			o.Progress = func(done paper.Progress) { x.doing(done.String()) }
			return showAll(cmd.Context(), &x, p.Run(cmd.Context(), o), show[T](&x), nil)
		},
	}
	f := cmd.Flags()
	if s.data {
		dataFlag(f, &o.Folder)
	}
	f.StringSliceVar(&o.Sets, "sets", nil, "only these "+s.sets)
	if s.models != "" {
		f.StringSliceVar(&o.Models, "model", nil, "these "+s.models)
	}
	if s.repeats != "" {
		f.IntVar(&o.Repeats, "repeats", 0, "`NUMBER` of "+s.repeats)
	}
	if s.python {
		f.StringVar(&o.Python, "python", "", "`FILE` of a Python that has the packages of the peers")
	}
	if s.more != nil {
		s.more(f, &o)
	}
	f.Uint64Var(&o.Seed, "seed", 1, "`SEED` of all randomness")
	x.flags(f, s.row)
	return cmd
}

// show writes a table as it is asked for. As JSON it is an object, unless it writes one for each of its rows.
func show[T table](x *experiment) func(io.Writer, T) error {
	return func(w io.Writer, t T) error {
		if !x.json {
			return t.WriteText(w)
		}
		if rows, ok := any(t).(interface{ WriteJSON(io.Writer) error }); ok {
			return rows.WriteJSON(w)
		}
		return json.NewEncoder(w).Encode(t)
	}
}

// dataFlag declares where data sets are.
func dataFlag(f *pflag.FlagSet, folder *paper.Folder) {
	f.StringVar((*string)(folder), "data", os.Getenv("PALATE_DATA"), "`FOLDER` of the data sets")
	f.Lookup("data").DefValue = ""
}
