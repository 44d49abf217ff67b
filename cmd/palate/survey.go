package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
	"palate/report"
	"palate/survey"
)

// surveyed is what commands about the voters of a model have in common.
type surveyed struct {
	consistent bool
	seed       uint64
	out        string
	quiet      bool
}

func (s *surveyed) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&s.consistent, "consistent", false, "leave voters out whose answers are no likelier than guesses (palate consistency)")
	f.Uint64Var(&s.seed, "seed", 1, "`SEED` of the draws")
	f.StringVarP(&s.out, "output", "o", "-", "write to this `FILE`")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no notes")
}

// voters are those whom figures are about; of a model with one board, its consensus.
func (s *surveyed) voters(ctx context.Context, m model.Model, c *cli.Console) (users []int, err error) {
	p, ok := m.(*model.Population)
	if !ok {
		if s.consistent {
			return nil, cli.Usage("--consistent: --model %s does not tell how consistent voters are; a model fitted with --model population does", m.Name())
		}
		if m.NumUsers() == 0 {
			return []int{-1}, nil
		}
	}
	left := 0
	for u := range m.NumUsers() {
		if s.consistent {
			is, err := p.Consistency(ctx, u)
			if err != nil {
				return nil, err
			}
			if !is.Consistent() {
				left++
				continue
			}
		}
		users = append(users, u)
	}
	switch {
	case len(users) == 0:
		return nil, fmt.Errorf("the answers of none of %d voters are likelier than guesses", left)
	case s.consistent:
		c.Note("%d of %d voters are left out: their answers are no likelier than guesses", left, left+len(users))
	}
	return users, nil
}

// itemsOf reads a set of items of the model, or one where it is a name; nil of none.
func itemsOf(m model.Model, flag, set string, one bool) (items []int, err error) {
	if set == "" {
		return nil, nil
	}
	names, ids := namesOf(m), []string{set}
	if _, known := names.Item(set); !one || !known {
		several, err := ingest.ReadSet(set)
		switch {
		case err == nil:
			ids = several
		case !one: // else it is a name that nobody knows
			return nil, cli.Usage("--%s: %w", flag, err)
		}
	}
	for _, id := range ids {
		i, ok := names.Item(id)
		if !ok {
			return nil, cli.Usage("--%s: %s is not an item of the model%s", flag, wording.Quote(id), wording.DidYouMean(id, slices.Values(names.itemIDs)))
		}
		items = append(items, i)
	}
	return items, nil
}

// rows writes lines of CSV.
func (s *surveyed) rows(ctx context.Context, of string, rows [][]string) error {
	out, err := cli.Create(s.out, of)
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := csv.NewWriter(out).WriteAll(rows); err != nil {
		return err
	}
	return out.Commit(ctx)
}

// number writes a figure, nothing where there is none.
func number(x float64, digits int) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// surveying are the flags of the charts of a survey.
type surveying struct {
	shelf      string
	consistent bool
}

func (s *surveying) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.shelf, "shelf", "", "`ITEMS` on the shelf that the chart of it simulates, with | between (the few that reach most)")
	f.BoolVar(&s.consistent, "consistent", false, "leave voters out of the charts of a survey whose answers are no likelier than guesses")
}

// about says what the charts are about, an anchor among it.
func (s *surveying) about(m model.Model, anchor string, seed uint64) (o report.SurveyOptions, err error) {
	o = report.SurveyOptions{Consistent: s.consistent, Seed: seed}
	if o.Shelf, err = itemsOf(m, "shelf", s.shelf, false); err != nil {
		return o, err
	}
	if anchor != "" {
		o.Anchor, err = itemsOf(m, "anchor", anchor, true)
	}
	return o, err
}

// shares is the command that prints shares of preference.
type shares struct {
	surveyed
	among  string
	anchor string
	each   bool
}

func newShares() *cobra.Command {
	s := &shares{}
	cmd := &cobra.Command{
		Use:   "shares MODEL",
		Short: "Print shares of preference and everybody's scores, as surveys do",
		Long: `Print how large a share of voters would choose each item from among all, in percent:
the scores of a survey by best and worst (MaxDiff), rescaled to 0 to 100. Fit the model
with --model population, so that every voter has tastes of their own.

Scores are utilities less their mean over the items; sd is how much voters differ in
them. A share is the mean of every voter's chance of choosing the item, with a 95%
interval for people like these voters. above is how many voters have the item above zero,
in percent.

With --among a shelf is simulated: scores and shares are about those items alone. With
--anchor scores are less that of an item, such as one that stands for "none of these" or
for what is bought today: above is then how many like an item more than that, and shares
are of choices with it there. With --each there is a line for every voter and item, with a
95% interval of the score, and above the chance that it is above zero.

Columns: item,score,sd,share,lo,hi,score_lo,score_hi,above; with --each
user,item,score,lo,hi,share,above.`,
		Example: `  palate shares snacks.palate
  palate shares snacks.palate --among 'nuts|crisps|fruit' --consistent
  palate shares snacks.palate --anchor figs
  palate shares snacks.palate --each -o voters.csv`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: s.run,
	}
	s.flags(cmd)
	cmd.Flags().StringVar(&s.among, "among", "", "`ITEMS` on the shelf, with | between")
	cmd.Flags().StringVar(&s.anchor, "anchor", "", "`ITEM` whose score is zero (default: the mean of the items)")
	cmd.Flags().BoolVar(&s.each, "each", false, "a line for every voter and item")
	return cmd
}

func (s *shares) run(cmd *cobra.Command, args []string) error {
	c, ctx := &cli.Console{Quiet: s.quiet}, cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	items, err := itemsOf(m, "among", s.among, false)
	if err != nil {
		return err
	}
	zero, err := itemsOf(m, "anchor", s.anchor, true)
	switch {
	case err != nil:
		return err
	case len(zero) > 1:
		return cli.Usage("--anchor %s: one item", s.anchor)
	case items != nil && zero != nil && !slices.Contains(items, zero[0]):
		items = append(items, zero[0])
	}
	users, err := s.voters(ctx, m, c)
	if err != nil {
		return err
	}
	all, err := survey.Voters(ctx, m, users, items, &survey.Options{Zero: zero, Seed: s.seed})
	if err != nil {
		return err
	}
	id := func(k int) string {
		if items != nil {
			k = items[k]
		}
		return m.ItemID(k)
	}
	rows := [][]string{{"item", "score", "sd", "share", "lo", "hi", "score_lo", "score_hi", "above"}}
	if s.each {
		rows = [][]string{{"user", "item", "score", "lo", "hi", "share", "above"}}
		for _, v := range all {
			name := ""
			if v.User >= 0 {
				name = m.UserID(v.User)
			}
			for k := range v.Score {
				rows = append(rows, []string{name, id(k), number(v.Score[k], 3), number(v.Lo[k], 3), number(v.Hi[k], 3), number(v.Share[k], 1), number(100*v.Above[k], 1)})
			}
		}
	} else {
		for _, x := range survey.Total(all) {
			rows = append(rows, []string{id(x.Item), number(x.Score, 3), number(x.ScoreSD, 3), number(x.Share, 2), number(x.Lo, 2), number(x.Hi, 2), number(x.ScoreLo, 3), number(x.ScoreHi, 3), number(100*x.Above, 1)})
		}
	}
	return s.rows(ctx, args[0], rows)
}
