package main

import (
	"github.com/spf13/cobra"

	"palate/cluster"
	"palate/internal/cli"
)

// deal is the command that deals votes to shards.
type deal struct {
	shared
	dealing cluster.Dealing
	out     string
}

func newDeal() *cobra.Command {
	d := &deal{}
	cmd := &cobra.Command{
		Use:   "deal VOTES... -o FOLDER",
		Short: "Deal votes to shards by voter",
		Long: `Read votes, number items by name, and deal the votes to shards, all of a voter to one:
files in a folder, each with a checksum. Files are CSV, JSONL, Parquet and whatever else
palate reads, packed or not; names may have wildcards, and be of this machine or gs://.

Bad rows are left out, and written with file, line and reason to FOLDER/bad. The same
votes give the same shards, in whatever files and order they are.`,
		Example: `  palate-cluster deal 'votes-*.parquet' --shards 64 -o crowd
  palate-cluster deal votes.csv --shards 8 --hold-out 0.05 -o crowd
  palate-cluster deal new.csv --like crowd -o newcomers`,
		Args: cli.Needs(1, 1<<20, "files of votes"),
		RunE: d.run,
	}
	d.dealFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&d.out, "output", "o", "", "`FOLDER` to deal to (needed)")
	f.StringVar(&d.dealing.Like, "like", "", "`FOLDER` of votes that were dealt before: take its items and its number of shards")
	return cmd
}

// dealFlags are those that fit has too.
func (d *deal) dealFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&d.dealing.Shards, "shards", 16, "`NUMBER` of shards; some thousand voters each are good")
	f.Float64Var(&d.dealing.HoldOut, "hold-out", 0, "`SHARE` of everybody's votes to hold out, for the loss in progress and evaluate")
	f.Uint64Var(&d.dealing.Seed, "seed", 0, "`SEED` of all randomness")
	d.reads(cmd)
	d.flags(cmd)
	refuse(cmd)
}

func (d *deal) run(cmd *cobra.Command, args []string) error {
	if d.out == "" {
		return cli.Usage("name the folder to deal to, with -o FOLDER")
	}
	c, err := d.start()
	if err != nil {
		return err
	}
	_, err = d.make(cmd, c, args, d.out)
	return interrupted(cmd.Context(), err)
}

func (d *deal) make(cmd *cobra.Command, c *cli.Console, votes []string, folder string) (*cluster.Deal, error) {
	d.dealing.Reading = d.reading
	d.dealing.Reading.Seed = d.dealing.Seed
	made, err := d.dealing.Make(cmd.Context(), d.Runner, votes, folder)
	if err != nil {
		return nil, err
	}
	noteBad(c, folder, made.Sources)
	n := 0
	for _, s := range made.Sources {
		n += s.Votes
	}
	if made.Redundancy != 1 {
		c.Note("answers about several items are taken as their pairs; palate fit takes them whole, on one machine")
	}
	c.Note("%s: %d votes of %d voters on %d items, in %d shards", folder, n, made.Persons(), len(made.Items), len(made.Shards))
	return made, nil
}
