package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/model"
)

// topList is the command that prints what each voter likes best.
type topList struct {
	users []string
	votes string // by voters whom the model does not know
	count int
	seen  string
	listing
	quiet bool
	skip  bool
	reading
}

func newTop() *cobra.Command {
	t := &topList{}
	cmd := &cobra.Command{
		Use:   "top MODEL",
		Short: "List what each voter likes best, of all voters at once",
		Long: `List the items that each voter of a model likes best, by their own tastes: for those
who recommend. It is written voter by voter, so that it may be of any length.

Scores are as on the voter's board, with their uncertainty; ranks, chances and tiers
are on the board alone (palate rank MODEL --user NAME). With --seen, items that a
voter has voted on in that file are left out.

With --votes the lists are of the new voters in that file, who are taken in by their few
votes without a new fit.

The format follows from the name of the output: .csv, .jsonl or .parquet. Columns:
user,rank,item,score,sd.`,
		Example: `  palate top tastes.palate -n 20 -o top.parquet
  palate top tastes.palate --users Noor,ann -n 3
  palate top tastes.palate --seen votes.csv -o new.jsonl
  palate top tastes.palate --votes first.csv --seen first.csv`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: t.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&t.users, "users", []string{"all"}, "`NAME`s of voters, with commas between, or all")
	f.StringVar(&t.votes, "votes", "", "`FILE` of votes by new voters, whose lists are wanted")
	f.IntVarP(&t.count, "number", "n", 10, "`NUMBER` of items for each")
	f.StringVar(&t.seen, "seen", "", "`FILE` of votes: leave out what a voter has voted on")
	t.listing.flags(cmd)
	t.reading.flags(cmd)
	f.BoolVar(&t.skip, "skip-bad", false, "leave bad rows of --seen out, and say how many, instead of stopping")
	f.BoolVarP(&t.quiet, "quiet", "q", false, "no notes")
	return cmd
}

// topRow is a line of the output.
type topRow struct {
	User  string  `json:"user" parquet:"user,dict"`
	Rank  int     `json:"rank" parquet:"rank"`
	Item  string  `json:"item" parquet:"item,dict"`
	Score float64 `json:"score" parquet:"score"`
	SD    float64 `json:"sd" parquet:"sd"`
}

func (t *topList) run(cmd *cobra.Command, args []string) error {
	if t.count < 1 {
		return cli.Usage("-n %d: at least one", t.count)
	}
	if t.votes != "" && cmd.Flags().Changed("users") {
		return cli.Usage("--users and --votes both say whose lists are wanted: give one of them")
	}
	if t.seen == "" {
		if err := without(cmd, append(ofReading(), "skip-bad"), "it is about the votes of --seen"); err != nil {
			return err
		}
	}
	out, err := create(t.out, args[0], t.votes, t.seen)
	if err != nil {
		return err
	}
	defer out.Discard()
	c, ctx := &cli.Console{Quiet: t.quiet}, cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	names := namesOf(m)
	guests := guests{votes: t.votes}
	fresh, err := guests.welcome(ctx, m, names, c)
	if err != nil {
		return err
	}
	users, err := t.voters(m, names)
	if err != nil {
		return err
	}
	seen, err := t.voted(ctx, names, c)
	if err != nil {
		return err
	}
	add, finish := listWriter(t.listing, out, []string{"user", "rank", "item", "score", "sd"}, func(r topRow) []string {
		return []string{r.User, strconv.Itoa(r.Rank), r.Item, decimals(r.Score), decimals(r.SD)}
	})
	for _, u := range users {
		var p model.Predictor = m
		if k := u - m.NumUsers(); k >= 0 {
			p = fresh[k].Alone()
		}
		top, err := model.Top(ctx, p, u, t.count, func(item int) bool { return seen[[2]int{u, item}] })
		if err != nil {
			return err
		}
		for k, x := range top {
			if err := add(topRow{names.userIDs[u], k + 1, m.ItemID(x.Item), x.Score, x.SD}); err != nil {
				return err
			}
		}
	}
	return finish(ctx)
}

// voters are those who are asked for.
func (t *topList) voters(m model.Model, names *names) (users []int, err error) {
	if m.NumUsers() == 0 {
		return nil, fmt.Errorf("a %s model has one board for everybody; fit one with --model population", m.Name())
	}
	if t.votes != "" {
		for u := m.NumUsers(); u < len(names.userIDs); u++ {
			users = append(users, u)
		}
		return users, nil
	}
	return numbersOf(t.users, m.NumUsers(), names.User, noVoter, names.userIDs)
}

// noVoter says that nobody is called so.
const noVoter = "--users %s: no vote is by this voter"

// voted is what voters have voted on in the file, by their numbers in the model.
func (t *topList) voted(ctx context.Context, names *names, c *cli.Console) (map[[2]int]bool, error) {
	if t.seen == "" {
		return nil, nil
	}
	v, err := votesIn(ctx, []string{t.seen}, &settings{skipBad: t.skip, reading: t.reading, pairing: pairing{maxPairs: 1000}}, c)
	if err != nil {
		return nil, err
	}
	if !v.data.HasUsers() {
		return nil, fmt.Errorf("%s names no voters: add a column user", t.seen)
	}
	seen := map[[2]int]bool{}
	for _, vote := range v.data.Votes() {
		if vote.User < 0 {
			continue
		}
		u, known := names.User(v.data.UserID(vote.User))
		for _, item := range []int{vote.Left, vote.Right} {
			if i, ok := names.Item(v.data.ItemID(item)); ok && known {
				seen[[2]int{u, i}] = true
			}
		}
	}
	return seen, nil
}
