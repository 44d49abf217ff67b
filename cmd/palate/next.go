package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"palate"
	"palate/active"
	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
)

// next is the command that says which pairs to ask.
type next struct {
	settings
	asking
	printing
	count   int
	exclude string
	user    string
	fresh   bool
	judges  []string
}

func newNext() *cobra.Command {
	n := &next{}
	cmd := &cobra.Command{
		Use:   "next VOTES... | MODEL",
		Short: "Say which pairs to ask next, and what each would teach",
		Long: `Say which pairs to ask next, by a model that "palate fit" wrote or by votes.

Each pair comes with the chance that the left item wins, what the answer is
expected to tell in bits (a coin nobody knows anything of has one), and the ranks
of the two as things stand. Several pairs are for several voters at once: no two
are alike, and each is chosen for what it tells beside those before it, so that an
item of which little is known is in several.

--goal says what the answers are for: the whole ranking, the best item or the five best
(top-5) alone, or all with the top first. The pair asked is that whose answer is
expected to tell most or, for the best, that whose wrong order would cost most. Below
the pairs stands how far the goal is reached, and whether you can stop: at --until.

With --judges pairs are dealt out to several people, as evenly as may be, and none
that they have answered before.

Columns of --csv: left,right,p_left,bits,rank_left,rank_right,propensity and, with
--judges, judge. The propensity is the probability with which the pair was chosen.`,
		Example: `  palate next votes.csv -k 5
  palate next votes.csv --links links.csv --goal top-3 --fresh
  palate next teas.palate -k 20 --csv -o ask.csv
  palate next judgements.csv -k 40 --judges all --csv -o round2.csv`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes or a model"),
		RunE: n.run,
	}
	f := cmd.Flags()
	f.IntVarP(&n.count, "pairs", "k", 1, "`NUMBER` of pairs")
	n.asking.flags(cmd)
	f.StringVar(&n.user, "user", "", "what to ask this `VOTER` about their own taste, by the model population unless --model says another")
	f.StringVar(&n.exclude, "exclude", "", "`FILE` of pairs not to ask: left,right")
	f.BoolVar(&n.fresh, "fresh", false, "leave out pairs that have been voted on")
	f.StringSliceVar(&n.judges, "judges", nil, "deal the pairs out to these `NAMES`, with commas between, or to all who voted; nobody gets a pair that they have answered")
	n.printing.flags(cmd, "print CSV", "print JSON, one object a line")
	f.BoolVarP(&n.quiet, "quiet", "q", false, "no notes")
	n.settings.flags(cmd, "single")
	return cmd
}

func (n *next) run(cmd *cobra.Command, args []string) error {
	switch {
	case n.count < 1:
		return cli.Usage("-k %d: at least one", n.count)
	case n.user != "" && n.judges != nil:
		return cli.Usage("--user and --judges exclude each other: one asks for a taste, the other for one scale")
	}
	if n.user != "" && !cmd.Flags().Changed("model") {
		n.model = personal()
	}
	fitting, err := n.settings.options(cmd)
	if err != nil {
		return err
	}
	choosing, err := n.asking.options()
	if err != nil {
		return err
	}
	out, err := create(n.out, append(append(args, n.tables()...), n.exclude)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: n.quiet}
	if n.user != "" {
		n.mentions = []mention{{"--user", n.user, true}}
	}
	src, err := n.source(cmd, args, fitting, c)
	if err != nil {
		return err
	}
	m := src.model
	if n.fresh {
		if src.votes == nil {
			return cli.Usage("--fresh has no effect: %s is a model, and has no votes", args[0])
		}
		for _, v := range src.votes.data.Votes() {
			if v.Outcome != palate.Skip {
				choosing.Exclude.Add(v.Left, v.Right)
			}
		}
	}
	if n.exclude != "" {
		if err := n.leaveOut(cmd.Context(), m, choosing.Exclude); err != nil {
			return err
		}
	}
	user, err := voterOf(m, n.user)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(n.seed, 0xa5c))
	pairs, err := active.Next(cmd.Context(), m, user, n.count, choosing, rng)
	switch {
	case err != nil:
		return err
	case len(pairs) == 0:
		return fmt.Errorf("there is no pair left to ask among %d items", m.NumItems())
	case len(pairs) < n.count:
		c.Note("there are only %d pairs left to ask", len(pairs))
	}
	judge, err := n.deal(src, pairs)
	if err != nil {
		return err
	}
	return out.Print(cmd.Context(), func(w io.Writer) error {
		switch {
		case n.csv:
			return n.writeCSV(w, m, pairs, judge)
		case n.json:
			return n.writeJSON(w, m, pairs, judge)
		}
		settled, err := active.Settled(cmd.Context(), m, user, choosing.Policy.Goal, rng)
		if err != nil {
			return err
		}
		return n.writeText(w, m, pairs, judge, settled, choosing.Policy.Goal)
	})
}

// deal returns the judge of every pair; nil without judges. A pair that all have answered is
// left to anybody.
func (n *next) deal(src *source, pairs []active.Pair) ([]string, error) {
	if n.judges == nil {
		return nil, nil
	}
	names := slices.Clone(n.judges)
	if slices.Equal(names, []string{"all"}) {
		if src.votes == nil || !src.votes.data.HasUsers() {
			return nil, cli.Usage("--judges all has no effect: no votes are given that name voters; name the judges")
		}
		names = nil
		for u := range src.votes.data.NumUsers() {
			names = append(names, src.votes.data.UserID(u))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	answered := make([]active.Pairs, len(names))
	number := map[string]int{}
	for j, name := range names {
		answered[j], number[name] = active.Pairs{}, j
	}
	if src.votes != nil {
		d := src.votes.data
		for _, v := range d.Votes() {
			if v.User < 0 {
				continue
			}
			if j, ok := number[d.UserID(v.User)]; ok {
				answered[j].Add(v.Left, v.Right)
			}
		}
	}
	judge := make([]string, len(pairs))
	for k, j := range active.Allocate(pairs, answered) {
		if j >= 0 {
			judge[k] = names[j]
		}
	}
	return judge, nil
}

// leaveOut adds the pairs of a file to those not to ask.
func (n *next) leaveOut(ctx context.Context, m model.Model, to active.Pairs) error {
	in, err := open(ctx, n.exclude)
	if err != nil {
		return err
	}
	defer in.close()
	pairs, _, err := ingest.ReadPairs(ctx, in.path, in, namesOf(m), ingest.Options{NewUsers: true})
	if err != nil {
		return err
	}
	for k := range pairs.Len() {
		to.Add(pairs.Left[k], pairs.Right[k])
	}
	return nil
}

func (n *next) writeText(w io.Writer, m model.Predictor, pairs []active.Pair, judge []string, settled float64, g active.Goal) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if judge != nil {
		fmt.Fprint(t, "judge\t")
	}
	fmt.Fprintln(t, "left\tright\tleft wins\tbits\tranks\twhy")
	for k, p := range pairs {
		if judge != nil {
			fmt.Fprint(t, judge[k]+"\t")
		}
		fmt.Fprintf(t, "%s\t%s\t%.0f%%\t%s\t%d, %d\t%s\n", m.ItemID(p.Left), m.ItemID(p.Right), 100*p.Chance, bits(p.Gain), p.LeftRank, p.RightRank, why(m, p))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	what := map[bool]string{true: "the best item is known with probability", false: "the expected agreement (Kendall τ) of the ranking with the truth is"}[g == active.Best()]
	if strings.HasPrefix(g.String(), "top-") {
		what = "the expected share of the " + strings.ReplaceAll(g.String(), "-", " ") + " that is right is"
	}
	verdict := fmt.Sprintf("Ask on until it is %.2f (--until).", n.until)
	if settled >= n.until {
		verdict = fmt.Sprintf("You can stop: %.2f is enough (--until).", n.until)
	}
	_, err := fmt.Fprintf(w, "\nAs things stand, %s %.2f. %s\n", what, settled, verdict)
	return err
}

// bits shows a gain with two decimals, or two digits of a small one.
func bits(gain float64) string {
	if gain >= 0.01 || gain == 0 {
		return fmt.Sprintf("%.2f", gain)
	}
	return strconv.FormatFloat(gain, 'g', 2, 64)
}

// why says in words what speaks for a pair.
func why(m model.Predictor, p active.Pair) string {
	votes := m.Votes()
	a, b := votes[p.Left], votes[p.Right]
	var s string
	switch {
	case a == 0 && b == 0:
		s = "neither has a vote yet"
	case a == 0 || b == 0:
		s = "one has no vote yet"
	case p.Chance > 0.4 && p.Chance < 0.6:
		s = "an open race"
	case p.Chance > 0.1 && p.Chance < 0.9:
		s = "a favourite that is not safe"
	case p.Chance > 0.01 && p.Chance < 0.99:
		s = "a clear favourite"
	default:
		s = "a favourite that is all but certain"
	}
	if r := min(p.LeftRank, p.RightRank); r == 1 {
		s += ", for the lead"
	} else if r <= 3 {
		s += ", near the top"
	}
	return s
}

func (n *next) writeCSV(w io.Writer, m model.Predictor, pairs []active.Pair, judge []string) error {
	rows := [][]string{{"left", "right", "p_left", "bits", "rank_left", "rank_right", "propensity"}}
	if judge != nil {
		rows[0] = append(rows[0], "judge")
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for k, p := range pairs {
		row := []string{m.ItemID(p.Left), m.ItemID(p.Right), number(p.Chance), number(p.Gain), strconv.Itoa(p.LeftRank), strconv.Itoa(p.RightRank), number(p.Propensity)}
		if judge != nil {
			row = append(row, judge[k])
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}

func (n *next) writeJSON(w io.Writer, m model.Predictor, pairs []active.Pair, judge []string) error {
	lines := json.NewEncoder(w)
	for k, p := range pairs {
		var name *string
		if judge != nil {
			name = &judge[k]
		}
		if err := lines.Encode(struct {
			Left       string  `json:"left"`
			Right      string  `json:"right"`
			Chance     float64 `json:"p_left"`
			Bits       float64 `json:"bits"`
			LeftRank   int     `json:"rank_left"`
			RightRank  int     `json:"rank_right"`
			Propensity float64 `json:"propensity"`
			Judge      *string `json:"judge,omitempty"`
		}{m.ItemID(p.Left), m.ItemID(p.Right), p.Chance, p.Gain, p.LeftRank, p.RightRank, p.Propensity, name}); err != nil {
			return err
		}
	}
	return nil
}
