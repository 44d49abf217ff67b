package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"palate"
	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
)

// predict is the command that prints the chances of pairs.
type predict struct {
	growth
	guests
	pairs, out string
	choose     string // of which items one is chosen
	as         string // what is said of them
	ratings    string // file of who would rate which items
	user       string // by whom
	columns    titles
	knownOnly  bool
	at         string // of utilities that move, when
	quiet      bool
}

func newPredict() *cobra.Command {
	p := &predict{}
	cmd := &cobra.Command{
		Use:   "predict MODEL {--pairs PAIRS | --choose ITEMS | --ratings FILE}",
		Short: "Say how likely the left item of each pair is to win, or each of several to be chosen",
		Long: `Print the rows of a file of pairs with one more column, p_left: the probability
that the left item wins, ties apart. The output has the format of the input:
CSV, TSV or JSONL, with all its columns.

Pairs have columns left and right, or those of a vote file; where votes describe
their items, in columns such as left_size and right_size, so may pairs. Items that
the model does not know need features: give them with --items, in the columns the
model was fitted with. A model that was fitted with --links places new items by their
links, too: give them with --links --new-items. A pair with an item that stays
unknown, or of items that neither votes nor features nor links connect, gets an
empty p_left, and a note says how many; with --known-only an unknown item or voter
is an error.

Where the model was fitted with --context length_left,length_right and pairs have
these columns, chances are at the lengths that they say, else at equal length.

With --choose, print how likely each of some items is to be chosen from among them, and
to be named the worst, as CSV: item, p_best and p_worst; with --as best-worst how likely
each two are to be named the best and the worst: best, worst and p; and with --as ranking
how likely all are to be ranked in the order in which they are given. A population is
asked for one voter, --user NAME.

With --ratings, print the rows of a file with the columns user and item, CSV or TSV,
with what the voter would rate the item: rating, the mean; rating_sd; and the chance of
every class, p_1 to p_5 where ratings are from 1 to 5. The model is one of --model
ratings.

With a column user, each row is answered for its voter, where the model tells
voters apart. One whom it does not know is somebody of whom nothing is known,
unless --users gives features, --votes a few votes, or both.`,
		Example: `  palate predict teas.palate --pairs pairs.csv
  palate predict teas.palate --pairs pairs.csv --items new-teas.csv -o chances.csv
  palate predict papers.palate --pairs pairs.csv --links new-links.csv --new-items
  palate predict tastes.palate --pairs pairs.csv --users new.csv --votes first.csv
  palate predict teas.palate --choose 'Assam|Sencha|Oolong'
  palate predict teas.palate --choose 'Assam|Sencha|Oolong' --as ranking
  palate predict stars.palate --ratings whom.csv`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: p.run,
	}
	f := cmd.Flags()
	f.StringVar(&p.pairs, "pairs", "", "`FILE` of pairs: columns left and right")
	f.StringVar(&p.choose, "choose", "", "`ITEMS` of which one is chosen, separated by one of | ; ,")
	f.StringVar(&p.as, "as", "choice", "`WHAT` is said of the items of --choose: choice (the best, or the worst), best-worst (both) or ranking (all in this order)")
	completes(cmd, "as", "choice", "best-worst", "ranking")
	f.StringVar(&p.ratings, "ratings", "", "`FILE` of what is to be rated, by whom: columns item and user")
	f.StringVar(&p.user, "user", "", "`NAME` of the voter who chooses")
	f.StringVar(&p.items, "items", "", "`FILE` of new items: id and the feature columns of the fit")
	vectorsFlag(cmd, &p.vectors)
	f.StringVar(&p.links, "links", "", "`FILE` of links between new items and those of the fit: from,to and an optional weight")
	f.BoolVar(&p.newItems, "new-items", false, "take in items that only --links names")
	p.guests.flags(cmd)
	p.columns.flags(cmd)
	cmd.Flags().Lookup("columns").Usage = "what `COLUMNS` of the pairs are whose names do not tell: left=first,right=second,user=who, or left=1,right=2 without a header"
	atFlag(cmd, &p.at)
	f.BoolVar(&p.knownOnly, "known-only", false, "an item or a voter that the model does not know is an error, with a hint at what may be meant")
	induceFlag(cmd, &p.induce)
	f.StringVarP(&p.out, "output", "o", "-", "write to this `FILE`")
	f.BoolVar(&p.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "no notes")
	return cmd
}

// pLeft is the column that predict adds.
const pLeft = "p_left"

func (p *predict) run(cmd *cobra.Command, args []string) error {
	if err := p.check(cmd); err != nil {
		return err
	}
	inputs := []string{args[0], p.pairs, p.ratings, p.items, p.vectors, p.links, p.users, p.votes}
	out, err := create(p.out, inputs...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c, ctx := &cli.Console{Quiet: p.quiet}, cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	if m, err = p.extend(ctx, m, c); err != nil {
		return err
	}
	if m, err = datedAt(m, p.at, c); err != nil {
		return err
	}
	if p.choose != "" {
		return p.writeChoice(ctx, out, m)
	}
	names := namesOf(m)
	fresh, err := p.welcome(ctx, m, names, c)
	if err != nil {
		return err
	}
	if p.ratings != "" {
		return p.writeRatings(ctx, out, m, names, fresh, c)
	}
	in, err := open(ctx, p.pairs)
	if err != nil {
		return err
	}
	defer in.close()
	described := &newcomers{names: names, known: m.NumItems()}
	reading := ingest.Options{
		SkipBad: p.skipBad, Columns: ingest.Columns(p.columns), NewItems: !p.knownOnly, NewUsers: !p.knownOnly || m.NumUsers() == 0,
		Profiles: &ingest.Table{}, NewItem: described.take,
	}
	context := contextOf(m)
	for _, one := range context {
		reading.Keep = append(reading.Keep, one.Columns...)
	}
	pairs, report, err := ingest.ReadPairs(ctx, in.path, in, names, reading)
	if err != nil {
		return advised(err, report, p.skipBad, "mend the row, give the features of new items with --items")
	}
	if slices.Contains(report.Extra, pLeft) {
		return &ingest.Error{File: in.path, Line: 1, Column: pLeft, Reason: "is there already: leave it out"}
	}
	noteBad(c, report)
	properties, err := propertiesOf(report, context, c)
	if err != nil {
		return err
	}
	if len(described.ids) > 0 {
		if m, err = described.join(ctx, m, reading.Profiles, c); err != nil {
			return err
		}
		if fresh, err = p.welcome(ctx, m, namesOf(m), &cli.Console{Quiet: true}); err != nil { // who know of all items
			return err
		}
	}
	values, apart, err := predicted(ctx, m, pairs, properties, fresh)
	if err != nil {
		return err
	}
	if n := pairs.NewItems; n.Rows > 0 {
		c.Note("%d of %d pairs have items that the model does not know; their %s is empty: %s", n.Rows, len(values), pLeft, unknown(n, names.itemIDs))
	}
	if n := pairs.NewUsers; n.Rows > 0 && m.NumUsers() > 0 {
		c.Note("%d of %d pairs are by voters whom the model does not know; they are answered as somebody of whom nothing is known: %s", n.Rows, len(values), unknown(n, names.userIDs))
	}
	if apart > 0 {
		c.Note("%d of %d pairs are of items that no votes connect; their %s is empty", apart, len(values), pLeft)
	}
	return out.Print(ctx, func(w io.Writer) error { return pairs.WriteWith(w, pLeft, values) })
}

// check refuses flags that do not go together.
func (p *predict) check(cmd *cobra.Command) error {
	switch {
	case p.pairs == "" && p.choose == "" && p.ratings == "":
		return cli.Usage("say which pairs, --pairs PAIRS, of which items one is chosen, --choose ITEMS, or what is rated: --ratings FILE")
	case p.pairs != "" && p.choose != "":
		return cli.Usage("--pairs and --choose are two questions: ask one")
	case p.ratings != "" && (p.pairs != "" || p.choose != ""):
		return cli.Usage("--ratings goes without --pairs and --choose: ask one question")
	case p.user != "" && p.choose == "":
		return cli.Usage("--user has no effect: pairs have a column user")
	case cmd.Flags().Changed("as") && p.choose == "":
		return cli.Usage("--as has no effect: it is about --choose")
	}
	for _, flag := range []string{"columns", "known-only", "users", "votes"} {
		if p.choose != "" && cmd.Flags().Changed(flag) {
			return cli.Usage("--%s has no effect: it is about --pairs", flag)
		}
	}
	for _, flag := range []string{"columns", "skip-bad", "items", "links", "at"} {
		if p.ratings != "" && cmd.Flags().Changed(flag) {
			return cli.Usage("--%s has no effect: it is not about --ratings", flag)
		}
	}
	return nil
}

// predicted returns what the model says of pairs, in words; nothing of those with items that it
// does not know, and of those, which it counts, that no votes connect.
func predicted(ctx context.Context, m model.Model, pairs *ingest.Pairs, properties []palate.Property, fresh []model.Newcomer) (values []string, apart int, err error) {
	values = make([]string, pairs.Len())
	for k := range values {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		l, r := pairs.Left[k], pairs.Right[k]
		switch {
		case l < 0 || r < 0:
			continue
		case !m.Comparable(l, r):
			apart++
			continue
		}
		prefer := func() float64 { return m.Prefer(pairs.User[k], l, r) }
		if in, ok := m.(inContext); ok && properties != nil {
			prefer = func() float64 { return in.PreferIn(properties, k, false, pairs.User[k], l, r) }
		}
		if u := pairs.User[k] - m.NumUsers(); u >= 0 && len(fresh) > 0 {
			prefer = func() float64 { return fresh[u].Prefer(l, r) }
		}
		values[k] = strconv.FormatFloat(prefer(), 'f', 6, 64)
	}
	return values, apart, nil
}

// unknown names the first few that nobody knows, and what each may be meant for.
func unknown(n ingest.Unknown, known []string) string {
	const most = 5
	var shown []string
	for _, id := range n.Names[:min(len(n.Names), most)] {
		name := strconv.Quote(id)
		if near := wording.Near(id, slices.Values(known)); near != "" {
			name += fmt.Sprintf(" (did you mean %q?)", near)
		}
		shown = append(shown, name)
	}
	if more := len(n.Names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
