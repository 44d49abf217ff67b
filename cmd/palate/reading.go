package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
)

// reading are the flags of how files of votes are read.
type reading struct {
	where      conditions
	columns    titles
	timeFormat string

	equal, unranked string
	none, design    string
}

// ofReading are these flags.
func ofReading() []string {
	return []string{"where", "columns", "time-format", "equal", "unranked", "none", "design"}
}

func (r *reading) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&r.where, "where", "read only votes that meet this `CONDITION` on a column of theirs: language=English, 'judge!=ann|bob', 'time>=2024-05-01', meta.turn=1; given again, all have to hold")
	r.columns.flags(cmd)
	timeFormatFlag(cmd, &r.timeFormat)
	f.StringVar(&r.equal, "equal", "tied", "`HOW` items in one place of a ranking are meant: tied or unordered, which says nothing of them")
	completes(cmd, "equal", "tied", "unordered")
	f.StringVar(&r.unranked, "unranked", "unseen", "`HOW` items that a ranking leaves out are meant: unseen, or below the last that it has, of those in a column shown, in rows without a rank, or of a PrefLib file")
	completes(cmd, "unranked", "unseen", "below")
	f.StringVar(&r.none, "none", "", "`NAME` of an item that stands for none of these, which could be chosen beside those of every set; of surveys that ask what is important, for where that ends (none unless it is named)")
	f.StringVar(&r.design, "design", "", "`FILE` of which items the tasks of a survey showed, where its answers do not tell: version,task,item1,item2,...")
}

func timeFormatFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "time-format", "", "how times are written, as `FORMAT` of strftime: '%d/%m/%Y %H:%M:%S'")
}

// options are those of the flags.
func (r *reading) options(ctx context.Context) (ingest.Options, error) {
	o := ingest.Options{Where: r.where, Columns: ingest.Columns(r.columns), TimeFormat: r.timeFormat, None: r.none}
	o.Unordered, o.Below = r.equal == "unordered", r.unranked == "below"
	if r.timeFormat != "" {
		if err := ingest.CheckTimeFormat(r.timeFormat); err != nil {
			return o, cli.Usage("--time-format: %w", err)
		}
	}
	if r.design == "" {
		return o, nil
	}
	in, err := open(ctx, r.design)
	if err != nil {
		return o, err
	}
	defer in.close()
	o.Design, err = ingest.ReadDesign(ctx, in.path, in)
	return o, err
}

// noteRankings says what is taken for meant where rankings leave it open.
func (r *reading) noteRankings(c *cli.Console, report ingest.Report) {
	if n := report.Shared; n > 0 && r.equal == "unordered" {
		c.Note("%s: items in one place are not ordered, in %s", wording.File(report.File), wording.Plural(n, "ranking"))
	} else if n > 0 {
		c.Note("%s: items in one place tie, in %s; --equal unordered says nothing of them", wording.File(report.File), wording.Plural(n, "ranking"))
	}
	if n := report.Short; n > 0 && r.unranked == "below" {
		c.Note("%s: items that were shown and left out are below the last, in %s", wording.File(report.File), wording.Plural(n, "ranking"))
	} else if n > 0 {
		c.Note("%s: nothing is said of items that were shown and left out, in %s; --unranked below has them below the last", wording.File(report.File), wording.Plural(n, "ranking"))
	}
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
