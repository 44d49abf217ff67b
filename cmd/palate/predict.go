package main

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"palate/ingest"
)

// predict is the command that prints the chances of pairs.
type predict struct {
	growth
	guests
	pairs, out string
	quiet      bool
}

func newPredict() *cobra.Command {
	p := &predict{}
	cmd := &cobra.Command{
		Use:   "predict MODEL --pairs PAIRS",
		Short: "Say how likely the left item of each pair is to win",
		Long: `Print the rows of a file of pairs with one more column, p_left: the probability
that the left item wins, ties apart. The output has the format of the input:
CSV, TSV or JSONL, with all its columns.

Pairs have columns left and right, or those of a vote file; where votes describe
their items, in columns such as left_size and right_size, so may pairs. Items that
the model does not know need features: give them with --items, in the columns the
model was fitted with. A model that was fitted with --links places new items by their
links, too: give them with --links --new-items. A pair of items that neither
votes nor features nor links connect gets an empty p_left.

With a column user, each row is answered for its voter, where the model tells
voters apart. One whom it does not know is somebody of whom nothing is known,
unless --users gives features, --votes a few votes, or both.`,
		Example: `  palate predict teas.palate --pairs pairs.csv
  palate predict teas.palate --pairs pairs.csv --items new-teas.csv -o chances.csv
  palate predict papers.palate --pairs pairs.csv --links new-links.csv --new-items
  palate predict tastes.palate --pairs pairs.csv --users new.csv --votes first.csv`,
		Args: needs(1, 1, "a model"),
		RunE: p.run,
	}
	f := cmd.Flags()
	f.StringVar(&p.pairs, "pairs", "", "`FILE` of pairs: columns left and right (needed)")
	f.StringVar(&p.items, "items", "", "`FILE` of new items: id and the feature columns of the fit")
	vectorsFlag(cmd, &p.vectors)
	f.StringVar(&p.links, "links", "", "`FILE` of links between new items and those of the fit: from,to and an optional weight")
	f.BoolVar(&p.newItems, "new-items", false, "take in items that only --links names")
	p.guests.flags(cmd)
	induceFlag(cmd, &p.induce)
	f.StringVarP(&p.out, "output", "o", "-", "write to this `FILE`")
	f.BoolVar(&p.skipBad, "skip-bad", false, "leave bad rows out, and say how many, instead of stopping")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "no notes")
	return cmd
}

// pLeft is the column that predict adds.
const pLeft = "p_left"

func (p *predict) run(cmd *cobra.Command, args []string) error {
	if p.pairs == "" {
		return usage("say which pairs: --pairs PAIRS")
	}
	inputs := []string{args[0], p.pairs, p.items, p.vectors, p.links, p.users, p.votes}
	if err := onlyOneStdin(inputs...); err != nil {
		return err
	}
	out, err := create(p.out, inputs...)
	if err != nil {
		return err
	}
	defer out.discard()
	c := &console{quiet: p.quiet}
	m, err := readModel(args[0])
	if err != nil {
		return err
	}
	if m, err = p.extend(m, c); err != nil {
		return err
	}
	names := namesOf(m)
	fresh, err := p.welcome(m, names, c)
	if err != nil {
		return err
	}
	in, err := open(p.pairs)
	if err != nil {
		return err
	}
	defer in.close()
	var pairs *ingest.Pairs
	var report ingest.Report
	described := &newcomers{names: names, known: m.NumItems()}
	reading := ingest.Options{SkipBad: p.skipBad, NewUsers: true, Profiles: &ingest.Table{}, NewItem: described.take}
	err = interruptible(cmd.Context(), func() (err error) {
		pairs, report, err = ingest.ReadPairs(in.path, in, names, reading)
		return err
	})
	if err != nil {
		return advised(err, report, p.skipBad, "mend the row, give the features of new items with --items")
	}
	if slices.Contains(report.Extra, pLeft) {
		return &ingest.Error{File: in.path, Line: 1, Column: pLeft, Reason: "is there already: leave it out"}
	}
	noteBad(c, report)
	if len(described.ids) > 0 {
		if m, err = described.join(m, reading.Profiles); err != nil {
			return err
		}
		if fresh, err = p.welcome(m, namesOf(m), &console{quiet: true}); err != nil { // who know of all items
			return err
		}
	}
	values := make([]string, pairs.Len())
	apart := 0
	for k := range values {
		l, r := pairs.Left[k], pairs.Right[k]
		if !m.Comparable(l, r) {
			apart++
			continue
		}
		prefer := func() float64 { return m.Prefer(pairs.User[k], l, r) }
		if u := pairs.User[k] - m.NumUsers(); u >= 0 && len(fresh) > 0 {
			prefer = func() float64 { return fresh[u].Prefer(l, r) }
		}
		values[k] = strconv.FormatFloat(prefer(), 'f', 6, 64)
	}
	if apart > 0 {
		c.note("%d of %d pairs are of items that no votes connect; their %s is empty", apart, len(values), pLeft)
	}
	var text bytes.Buffer
	if err := pairs.WriteWith(&text, pLeft, values); err != nil {
		return err
	}
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	return out.commit(cmd.Context())
}
