package main

import (
	"os"

	"github.com/spf13/cobra"

	"palate/cluster"
	"palate/ingest"
	"palate/internal/cli"
)

// tally is the command that counts votes.
type tally struct {
	shared
	out, work string
	parts     int
}

func newTally() *cobra.Command {
	t := &tally{}
	cmd := &cobra.Command{
		Use:   "tally VOTES... -o COUNTS",
		Short: "Count equal votes of all voters together",
		Long: `Count equal votes, whoever cast them, and write them as a file of votes with weights: at
most some rows for every two items, which palate rank and palate fit take as they take
the votes themselves, for a board of everybody on one machine. Skips are left out, and so
are times, voters and what else votes have.`,
		Example: `  palate-cluster tally 'votes-*.parquet' -o counts.csv
  palate rank counts.csv`,
		Args: cli.Needs(1, 1<<20, "files of votes"),
		RunE: t.run,
	}
	f := cmd.Flags()
	f.StringVarP(&t.out, "output", "o", "", "`FILE` of counts to write: .csv, .jsonl or .parquet (needed)")
	f.StringVar(&t.work, "work", "", "`FOLDER` for what happens meanwhile, and for bad rows; it must be one that all workers see (default: one of this machine that is removed)")
	f.IntVar(&t.parts, "parts", 16, "`NUMBER` of parts to count in")
	t.reads(cmd)
	t.flags(cmd)
	return cmd
}

func (t *tally) run(cmd *cobra.Command, args []string) error {
	format := ingest.FormatOf(t.out)
	switch {
	case t.out == "":
		return cli.Usage("name the file of counts, with -o FILE")
	case format == "":
		return cli.Usage("-o %s: the name ends in .csv, .jsonl or .parquet", t.out)
	case t.parts < 1:
		return cli.Usage("--parts %d: at least one", t.parts)
	}
	c, err := t.start()
	if err != nil {
		return err
	}
	out, err := cli.Create(t.out, args...)
	if err != nil {
		return err
	}
	defer out.Discard()
	work := t.work
	if work == "" {
		if work, err = os.MkdirTemp("", "palate-tally-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	}
	ctx := cmd.Context()
	found, err := cluster.Tally(ctx, t.Runner, args, t.reading, t.parts, work, format, out)
	if err != nil {
		return interrupted(ctx, err)
	}
	if bad(found) > 0 && t.work == "" {
		c.Note("%d rows are bad and were left out: name a folder with --work to have file, line and reason of each", bad(found))
	} else {
		noteBad(c, work, found)
	}
	return out.Commit(ctx)
}

func bad(all []cluster.Source) (n int) {
	for _, s := range all {
		n += s.Bad
	}
	return n
}
