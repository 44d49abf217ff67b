package main

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/model"
)

// neighbours is the command that prints what is alike in taste.
type neighbours struct {
	items, users []string
	votes        string // by voters whom the model does not know
	count        int
	seed         uint64
	listing
	quiet bool
}

func newNeighbours() *cobra.Command {
	n := &neighbours{}
	cmd := &cobra.Command{
		Use:   "neighbours MODEL",
		Short: "List items, or voters, that are alike in taste",
		Long: `List the items that are nearest to each item of a model, or the voters who are nearest to
each voter, by taste: what somebody likes an item more than voters do on the whole.

Items are alike as tastes for them go together over the voters: who likes the one more
than others do likes the other, too. Voters are alike as their tastes go together over
the items. Both are correlations, from −1 to 1, with their deviation, which tells how
sure that is: with voters of a few votes it is not.

With --votes the voters nearest to the new ones in that file are listed, who are taken in
by their few votes without a new fit.

The format follows from the name of the output: .csv, .jsonl or .parquet. Columns:
of,rank,neighbour,alike,sd.`,
		Example: `  palate neighbours tastes.palate -n 20 -o alike.parquet
  palate neighbours tastes.palate --items Assam,Sencha -n 3
  palate neighbours tastes.palate --users all -o friends.jsonl
  palate neighbours tastes.palate --votes first.csv`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: n.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&n.items, "items", nil, "`NAMES` of items whose neighbours are wanted, with commas between, or all (the default)")
	f.StringSliceVar(&n.users, "users", nil, "`NAMES` of voters whose neighbours are wanted, with commas between, or all")
	f.StringVar(&n.votes, "votes", "", "`FILE` of votes by new voters, whose neighbours are wanted")
	f.IntVarP(&n.count, "number", "n", 10, "`NUMBER` of neighbours of each")
	n.listing.flags(cmd)
	f.Uint64Var(&n.seed, "seed", 0, "`SEED` of all randomness; the same seed gives the same answer")
	f.BoolVarP(&n.quiet, "quiet", "q", false, "no notes")
	return cmd
}

// neighbourRow is a line of the output.
type neighbourRow struct {
	Of        string  `json:"of" parquet:"of,dict"`
	Rank      int     `json:"rank" parquet:"rank"`
	Neighbour string  `json:"neighbour" parquet:"neighbour,dict"`
	Alike     float64 `json:"alike" parquet:"alike"`
	SD        float64 `json:"sd" parquet:"sd"`
}

func (n *neighbours) run(cmd *cobra.Command, args []string) error {
	asked := 0
	for _, is := range []bool{n.items != nil, n.users != nil, n.votes != ""} {
		if is {
			asked++
		}
	}
	switch {
	case n.count < 1:
		return cli.Usage("-n %d: at least one", n.count)
	case asked > 1:
		return cli.Usage("--items, --users and --votes say whose neighbours are wanted: give one of them")
	case asked == 0:
		n.items = []string{"all"}
	}
	out, err := create(n.out, args[0], n.votes)
	if err != nil {
		return err
	}
	defer out.Discard()
	c, ctx := &cli.Console{Quiet: n.quiet}, cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	add, finish := listWriter(n.listing, out, []string{"of", "rank", "neighbour", "alike", "sd"}, func(r neighbourRow) []string {
		return []string{r.Of, strconv.Itoa(r.Rank), r.Neighbour, decimals(r.Alike), decimals(r.SD)}
	})
	c.Step("tastes", "tastes")
	err = n.list(ctx, m, c, func(of string, name func(int) string, found []model.Neighbour) error {
		for k, x := range found {
			if err := add(neighbourRow{of, k + 1, name(x.Index), x.Alike, x.SD}); err != nil {
				return err
			}
		}
		return nil
	})
	c.Clear()
	if err != nil {
		return err
	}
	return finish(ctx)
}

// list finds the neighbours of all that is asked for, and hands them on.
func (n *neighbours) list(ctx context.Context, m model.Model, c *cli.Console, write func(of string, name func(int) string, found []model.Neighbour) error) error {
	names := namesOf(m)
	prepare, name, of := model.VoterNeighbours, func(u int) string { return names.userIDs[u] }, []int(nil)
	var err error
	switch {
	case n.items != nil:
		prepare, name = model.ItemNeighbours, m.ItemID
		of, err = numbersOf(n.items, m.NumItems(), names.Item, "--items %s: no item has this name", names.itemIDs)
	case n.users != nil:
		of, err = numbersOf(n.users, m.NumUsers(), names.User, noVoter, names.userIDs)
	}
	if err != nil {
		return err
	}
	near, err := prepare(ctx, m, n.seed)
	if err != nil {
		return err
	}
	if n.votes != "" {
		fresh, err := (&guests{votes: n.votes}).welcome(ctx, m, names, c)
		if err != nil {
			return err
		}
		for k, p := range fresh {
			found, err := near.OfNewcomer(ctx, p, n.count, n.seed)
			if err != nil {
				return err
			}
			if err := write(names.userIDs[m.NumUsers()+k], name, found); err != nil {
				return err
			}
		}
		return nil
	}
	const together = 64
	for some := range slices.Chunk(of, together) {
		found, err := near.Of(ctx, some, n.count)
		if err != nil {
			return err
		}
		for k, x := range found {
			if err := write(name(some[k]), name, x); err != nil {
				return err
			}
		}
	}
	return nil
}
