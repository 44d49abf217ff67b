package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"palate"
	"palate/ingest"
	"palate/internal/cli"
)

// convert is the command that writes votes in another form.
type convert struct {
	out, form, format string
	skipBad, quiet    bool
	votesFlags
}

func newConvert() *cobra.Command {
	c := &convert{}
	cmd := &cobra.Command{
		Use:   "convert VOTES... -o FILE",
		Short: "Write votes in another form or format",
		Long: `Read files of votes in any form and write them in one. The format follows from
the name of the output: .csv, .tsv, .jsonl, .json or .parquet, with .gz or .zst
after it to pack it. The forms are

  palate     user,left,right,winner with weight, time and ballot where there are any
  crowd-kit  worker,left,right,label
  arena      model_a,model_b,winner,judge,tstamp
  wins       winner,loser; it has no word for ties and skips

Rankings, best-worst sets and ratings become pairs; the column ballot says which
pairs come from one answer. Votes that know no sides, such as those of ratings, have
the item on the left whose name comes first. Columns that Palate has no use for are
left out.`,
		Example: `  palate convert battles.json -o votes.csv
  palate convert 00014-00000001.soc -o sushi.parquet
  palate convert votes.csv --to arena -o battles.jsonl.zst`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVarP(&c.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&c.form, "to", "palate", "`FORM`: "+strings.Join(ingest.WriteForms(), ", "))
	completes(cmd, "to", ingest.WriteForms()...)
	f.StringVar(&c.format, "format", "", "`FORMAT`, when the name does not tell: "+strings.Join(ingest.WriteFormats(), ", "))
	completes(cmd, "format", ingest.WriteFormats()...)
	f.BoolVar(&c.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "no notes")
	c.votesFlags.flags(cmd)
	return cmd
}

func (c *convert) run(cmd *cobra.Command, args []string) error {
	opt, err := c.options(cmd.Context())
	if err != nil {
		return err
	}
	opt.SkipBad = c.skipBad
	if err := c.target(); err != nil {
		return err
	}
	out, err := create(c.out, args...)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := c.work(cmd.Context(), args, opt, out); err != nil {
		return err
	}
	return out.Commit(cmd.Context())
}

// target finds out what to write.
func (c *convert) target() error {
	if c.format == "" {
		c.format = ingest.FormatOf(c.out)
	}
	if c.format == "" && c.out != "-" {
		return cli.Usage("%s: the name does not tell the format: end it with .%s, or say --format", c.out, strings.Join(ingest.WriteFormats(), ", ."))
	}
	if c.format == "" {
		c.format = ingest.WriteFormats()[0]
	}
	return nil
}

func (c *convert) work(ctx context.Context, paths []string, opt ingest.Options, out *cli.Output) error {
	notes := &cli.Console{Quiet: c.quiet}
	b := palate.NewBuilder()
	notes.Plan("reading", len(paths))
	for _, path := range paths {
		in, err := open(ctx, path)
		if err != nil {
			return err
		}
		report, err := ingest.Votes(ctx, in.path, notes.Reading(in.name(), in, in.size), b, opt)
		in.close()
		notes.Clear()
		if err != nil {
			return formless(advised(err, report, c.skipBad, "mend the row"), report)
		}
		noteBad(notes, report)
		if report.Sampled > 0 {
			notes.Note("%s: of %s only some pairs were taken; --max-pairs 0 takes all", in.name(), count(report.Sampled, "long answer"))
		}
		if len(report.Extra) > 0 {
			notes.Note("%s: left out: %s", in.name(), strings.Join(report.Extra, ", "))
		}
	}
	d, err := b.Build()
	if err != nil {
		return err
	}
	packed, err := ingest.Pack(out, c.out)
	if err != nil {
		return err
	}
	if err := ingest.Write(ctx, packed, d, ingest.WriteOptions{Form: c.form, Format: c.format}); err != nil {
		return fmt.Errorf("--to %s: %w", c.form, err)
	}
	return packed.Close()
}
