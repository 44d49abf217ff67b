package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
)

// reading are the flags of how files of votes are read.
type reading struct {
	where      conditions
	columns    titles
	timeFormat string
}

// ofReading are these flags.
func ofReading() []string { return []string{"where", "columns", "time-format"} }

func (r *reading) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&r.where, "where", "read only votes that meet this `CONDITION` on a column of theirs: language=English, 'judge!=ann|bob', 'time>=2024-05-01', meta.turn=1; given again, all have to hold")
	r.columns.flags(cmd)
	timeFormatFlag(cmd, &r.timeFormat)
}

func timeFormatFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "time-format", "", "how times are written, as `FORMAT` of strftime: '%d/%m/%Y %H:%M:%S'")
}

// options are those of the flags.
func (r *reading) options() (ingest.Options, error) {
	o := ingest.Options{Where: r.where, Columns: ingest.Columns(r.columns), TimeFormat: r.timeFormat}
	if r.timeFormat != "" {
		if err := ingest.CheckTimeFormat(r.timeFormat); err != nil {
			return o, cli.Usage("--time-format: %w", err)
		}
	}
	return o, nil
}

// titles is the flag --columns, which may be given several times.
type titles ingest.Columns

func (c *titles) flags(cmd *cobra.Command) {
	cmd.Flags().Var(c, "columns", "what `COLUMNS` are whose names do not tell: winner=chosen,loser=other, or winner=1,loser=2 without a header; see palate help formats")
}

// Set adds columns.
func (c *titles) Set(text string) error {
	more, err := ingest.ParseColumns(text)
	if err != nil {
		return err
	}
	*c = append(*c, more...)
	return ingest.Columns(*c).Check()
}

// String shows the columns as they are given.
func (c *titles) String() string { return ingest.Columns(*c).String() }

// Type is what help calls a value.
func (c *titles) Type() string { return "COLUMNS" }

// contexts is the flag --context, which may be given several times.
type contexts []ingest.Context

// Set adds a property of votes.
func (c *contexts) Set(text string) error {
	one, err := ingest.ParseContext(text)
	if err != nil {
		return err
	}
	*c = append(*c, one)
	_, err = ingest.NewProperties(*c)
	return err
}

// String shows the properties, on one line.
func (c *contexts) String() string { return strings.Join(c.given(), " and ") }

// given lists the properties as they are given.
func (c *contexts) given() (all []string) {
	for _, one := range *c {
		all = append(all, one.String())
	}
	return all
}

// Type is what help calls a value.
func (c *contexts) Type() string { return "COLUMN" }

// conditions is the flag --where, which may be given several times.
type conditions []ingest.Condition

// Set adds a condition.
func (c *conditions) Set(text string) error {
	one, err := ingest.ParseCondition(text)
	*c = append(*c, one)
	return err
}

// String shows the conditions, on one line.
func (c *conditions) String() string { return strings.Join(c.given(), " and ") }

// given lists the conditions as they are given.
func (c *conditions) given() (all []string) {
	for _, one := range *c {
		all = append(all, one.String())
	}
	return all
}

// Type is what help calls a value.
func (c *conditions) Type() string { return "CONDITION" }
