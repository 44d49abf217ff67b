package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/compare"
	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// comparing is the command that compares items of a board, and boards.
type comparing struct {
	settings
	boarding
	paper
	printing
	of      []string
	require []string
}

func newCompare() *cobra.Command {
	c := &comparing{}
	cmd := &cobra.Command{
		Use:   "compare VOTES | MODEL [VOTES | MODEL]",
		Short: "Say which of two items is better, or what moved between two boards",
		Long: `Compare items of one board: how probable it is that one is better than another, by
how much, how votes between them would go, which votes say so, directly or through
items that both met, and about how many more between the two would settle it. Without
--of, every item is compared with the next on the board.

Compare two boards, last month's votes with this month's: which items rose and fell,
which of these moves are real, and what is new or gone. Votes of both are fitted as
one, in which each item may have moved, by an amount that is learnt from all items:
few votes on one board move nothing by themselves. Two models are taken to know nothing
of each other, which takes what few votes leave open for moves. To compare two models
of one file of votes by what they predict, use palate evaluate --models.

With --html, a report in one file, with a chart of the leads or of the moves.

With --require the exit code says whether something is so: 0 when all that is
required holds, 3 when it does not, 1 when there was an error, 2 when the command
itself cannot be read. Where votes may tell no more than coins, what is required of one
board is about items that differ. It is written

  ` + strings.ReplaceAll(compare.Grammar, "\n", "\n  ") + `

Columns of --csv: a,b,p_better,lead,sd,lo,hi,p_wins,more_votes, of votes also
won,lost,tied, and coins where votes may tell no more than coins: all but p_wins is then
what holds if items differ. Of two boards
item,status,before,after,rank_before,rank_after,move,sd,lo,hi,p_rose,sure.`,
		Example: `  palate compare votes.csv --of Assam,Sencha
  palate compare teas.palate --of Assam,Sencha,Oolong --csv
  palate compare may.csv june.csv --html moved.html
  palate compare votes.csv --of new,old --require 'P(new > old) > 0.95'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("%q is one argument too many: items are named by --of %s", args[2], strings.Join(args[1:], ","))
			}
			return cli.Needs(1, 2, "a file of votes or a model")(cmd, args)
		},
		RunE: c.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&c.of, "of", nil, "`ITEMS` to compare, with commas between, each pair of them (those with commas in quotes)")
	f.StringArrayVar(&c.require, "require", nil, "`CLAIM` that is to hold, as in 'P(A > B) > 0.95'; given again, all are to hold")
	c.printing.flags(cmd, "print CSV", "print JSON")
	c.paper.flags(cmd)
	c.boarding.flags(cmd)
	f.Lookup("top").Usage = "of the board's items only the best `K`, or of two boards the surest K moves"
	f.BoolVarP(&c.quiet, "quiet", "q", false, "no notes and no legend")
	c.settings.flags(cmd, "auto")
	return cmd
}

func (c *comparing) run(cmd *cobra.Command, args []string) error {
	if err := cmp.Or(c.paper.check(cmd), c.boarding.check()); err != nil {
		return err
	}
	if c.anchor != "" {
		return cli.Usage("--anchor has no effect on differences")
	}
	var claims []compare.Claim
	for _, text := range c.require {
		claim, err := compare.ParseClaim(text)
		switch {
		case err != nil:
			return cli.Usage("--require: %w", err)
		case claim.Moves() && len(args) == 1:
			return cli.Usage("--require %q is about two boards, and there is one", text)
		case !claim.Moves() && len(args) == 2:
			return cli.Usage("--require %q is about one board, and there are two", text)
		}
		claims = append(claims, claim)
	}
	options, err := c.options(cmd)
	if err != nil {
		return err
	}
	around, err := c.paper.paper(cmd, args)
	if err != nil {
		return err
	}
	out, err := create(c.out, append(args, c.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	page, err := cli.Create(c.html, append(args, c.tables()...)...)
	if err != nil {
		return err
	}
	defer page.Discard()
	console := &cli.Console{Quiet: c.quiet}
	var shown findings
	var held []verdict
	show := report.Options{Top: c.top, Elo: c.elo, Points: c.points, Legend: !c.quiet}
	if len(args) == 1 {
		shown, held, err = c.ofItems(cmd, args, options, &show, claims, console)
	} else {
		shown, held, err = c.ofBoards(cmd, args, options, claims, console)
	}
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := c.write(&text, shown, show); err != nil {
		return err
	}
	if !c.csv && !c.json {
		for _, v := range held {
			fmt.Fprintf(&text, "\n%s", v)
		}
		if len(held) > 0 {
			text.WriteString("\n")
		}
	}
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	if c.html != "" {
		show.Language = c.lang
		moved, _ := shown.(*report.Change)
		pairs, _ := shown.(*report.Comparison)
		if err := report.ComparedHTML(cmd.Context(), page, around, moved, pairs, show); err != nil {
			return err
		}
		if err := page.Commit(cmd.Context()); err != nil {
			return err
		}
	}
	if err := out.Commit(cmd.Context()); err != nil {
		return err
	}
	for _, v := range held {
		if !v.claim.Holds(v.chance) {
			return cli.NotSo("%s", v)
		}
	}
	return nil
}

// verdict is a claim with its probability.
type verdict struct {
	claim  compare.Claim
	chance float64
}

func (v verdict) String() string {
	says := "holds"
	if !v.claim.Holds(v.chance) {
		says = "does not hold"
	}
	return fmt.Sprintf("%s %s: it is %.4f", v.claim.Text, says, v.chance)
}

// ofItems compares items of one board.
func (c *comparing) ofItems(cmd *cobra.Command, args []string, o *model.Settings, show *report.Options, claims []compare.Claim, console *cli.Console) (findings, []verdict, error) {
	c.perVoter = c.user != ""
	c.mentions = c.named(claims)
	src, err := c.source(cmd, args, o, console)
	if err != nil {
		return nil, nil, err
	}
	ctx, m := cmd.Context(), src.model
	for _, named := range c.mentions {
		if _, err := named.in(m); err != nil && !named.voter {
			return nil, nil, err
		}
	}
	show.Fit = src.fit
	user, err := voterOf(m, c.user)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := c.pairs(ctx, m, user)
	if err != nil {
		return nil, nil, err
	}
	opt := &compare.Options{Level: c.level, Seed: c.seed}
	r := &report.Comparison{ID: m.ItemID, Level: c.level}
	if r.Pairs, err = compare.Items(ctx, m, user, pairs, opt); err != nil {
		return nil, nil, err
	}
	if src.votes != nil && src.votes.spool == nil {
		for _, p := range pairs {
			r.Evidence = append(r.Evidence, compare.Votes(src.votes.data, p[0], p[1]))
		}
	}
	var held []verdict
	for _, claim := range claims {
		chance, err := claim.Chance(ctx, m, user, opt)
		if err != nil {
			return nil, nil, err
		}
		held = append(held, verdict{claim, chance})
	}
	return r, held, nil
}

// named are the items that are to be compared or that claims are about, and the voter.
func (c *comparing) named(claims []compare.Claim) (all []mention) {
	all = c.boarding.named()
	for _, id := range c.of {
		all = append(all, mention{flag: "--of", id: id})
	}
	for _, claim := range claims {
		for _, id := range []string{claim.A, claim.B} {
			if id != "" {
				all = append(all, mention{flag: "--require", id: id})
			}
		}
	}
	return all
}

// pairs are those of the items that were named, the better first, or of neighbours on the
// board.
func (c *comparing) pairs(ctx context.Context, m model.Model, user int) (pairs [][2]int, err error) {
	if len(c.of) == 1 {
		return nil, cli.Usage("--of %s: it takes two items", c.of[0])
	}
	board, err := model.NewBoard(ctx, m, user, &model.BoardOptions{Seed: c.seed})
	if err != nil {
		return nil, err
	}
	place := make([]int, m.NumItems())
	n := 0
	for _, g := range board.Groups {
		for k, r := range g.Rows {
			place[r.Item] = n
			n++
			if len(c.of) == 0 && k > 0 && (c.top == 0 || k < c.top) {
				pairs = append(pairs, [2]int{g.Rows[k-1].Item, r.Item})
			}
		}
	}
	var items []int
	for _, id := range c.of {
		i, err := mention{flag: "--of", id: id}.in(m)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(items, i):
			return nil, cli.Usage("--of names %s twice", id)
		}
		items = append(items, i)
	}
	if len(items) > 2 { // two stay in the order in which they were asked for
		slices.SortFunc(items, func(a, b int) int { return place[a] - place[b] })
	}
	for k, a := range items {
		for _, b := range items[k+1:] {
			pairs = append(pairs, [2]int{a, b})
		}
	}
	if len(pairs) == 0 {
		return nil, fmt.Errorf("there are no two items to compare")
	}
	return pairs, nil
}
