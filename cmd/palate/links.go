package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"palate/active"
	"palate/paper"
)

// reproduceLinks is the command that asks pairs as in Xu, Kersting and Joachims
// (2010).
type reproduceLinks struct {
	paper.LinkOptions
	data    string
	json    bool
	out     string
	figures string
	quiet   bool
}

func newReproduceLinks() *cobra.Command {
	r := &reproduceLinks{}
	cmd := &cobra.Command{
		Use:   "links",
		Short: "Link-based active exploration: which pair to ask, with and without links",
		Long: `Ask pairs one at a time, as in "Fast Active Exploration for Link-Based Preference
Learning using Gaussian Processes" (2010), and report the mean average precision of
the ranking after so many answers.

Sets:
  ohsumed         each query of OHSUMED alone; links join the ten nearest documents,
                  since the paper's own similarities are not to be had
  ohsumed-pooled  ten queries share one model of features
  trec-sim        1,000 made-up pages with 2,387 hyperlinks, the size of the paper's
  citations       made-up papers of ten topics that cite each other
  citations-new   the same; a fifth of them are new, known by their links and never
                  asked about, and only they are judged

Models: ` + strings.Join(paper.LinkModels(), ", ") + `.
"linked" is the paper's AXPGP with a share of the item's own, and with some earlier
votes revisited at each; "linked-adf" is the same in one pass, as in the paper, and
"linked-full" at the fixed point of EP after every vote. "matching" and "nystrom"
place new items by their links to those of the fit. The policy "lelpair" is the
paper's. Rows of --json compare themselves with "linked": against, less, p_t and
p_rank_sum.`,
		Example: `  palate reproduce links --data ~/data --sets ohsumed --queries 10 --repeats 1
  palate reproduce links --sets citations --json`,
		Args: explained(needs(0, 0, "")),
		RunE: marked(r.run),
	}
	var policies []string
	for _, p := range active.Policies() {
		policies = append(policies, p.Name)
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&r.data, "data", os.Getenv("PALATE_DATA"), "`FOLDER` of the data sets")
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.LinkSets(), ", "))
	f.StringSliceVar(&r.Models, "model", nil, "these `MODELS`, each under every policy")
	f.StringSliceVar(&r.Policies, "policy", nil, "these `POLICIES`: "+strings.Join(policies, ", "))
	f.Float64SliceVar(&r.Noise, "noise", nil, "`SHARES` of wrong answers")
	f.IntVar(&r.Queries, "queries", 0, "`NUMBER` of queries, or of made-up graphs (of the large sets at most 5)")
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of repeats a query")
	f.IntVar(&r.Pairs, "pairs", 0, "ask at most so `MANY` pairs (default 400)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	f.BoolVar(&r.json, "json", false, "one JSON object a line: a model, a policy, a number of pairs")
	f.StringVarP(&r.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&r.figures, "figures", "", "also draw figures into this `FOLDER`")
	f.BoolVarP(&r.quiet, "quiet", "q", false, "no progress")
	f.Lookup("data").DefValue = ""
	return cmd
}

func (r *reproduceLinks) run(cmd *cobra.Command, _ []string) error {
	c := &console{quiet: r.quiet}
	r.Folder = paper.Folder(r.data)
	r.Progress = func(p paper.Progress) {
		if c.bar == nil && !c.start("", -1) {
			return
		}
		c.bar.Describe(fmt.Sprintf("curve %d of %d: %s, %s", p.Done+1, p.Total, p.Set, p.Model))
		c.bar.Add(1)
	}
	if err := r.Check(); err != nil {
		return usage("%w", err)
	}
	out, err := create(r.out)
	if err != nil {
		return err
	}
	defer out.discard()
	defer c.clear()
	if r.figures != "" {
		if err := paper.DrawLinkExample(r.figures); err != nil {
			return err
		}
	}
	var tables []*paper.LinkTable // of one set, at different noise
	means := func() error {
		defer func() { tables = nil }()
		if r.json || len(tables) < 2 {
			return nil
		}
		return paper.WriteLinkMeans(out, tables)
	}
	for t, err := range paper.RunLinks(cmd.Context(), r.LinkOptions) {
		c.clear()
		if err != nil {
			if cmd.Context().Err() != nil {
				err = errInterrupted
			}
			return errors.Join(err, out.commit())
		}
		if r.figures != "" {
			if err := t.Draw(r.figures); err != nil {
				return err
			}
		}
		if len(tables) > 0 && tables[0].Data != t.Data {
			if err := means(); err != nil {
				return err
			}
		}
		tables = append(tables, t)
		write := t.WriteText
		if r.json {
			write = t.WriteJSON
		}
		if err := write(out); err != nil {
			return err
		}
	}
	if err := means(); err != nil {
		return err
	}
	return out.commit()
}
