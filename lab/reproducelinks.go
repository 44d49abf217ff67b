package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/active"
	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceLinks is the command that asks pairs as in Xu, Kersting and Joachims
// (2010).
type reproduceLinks struct {
	paper.LinkOptions
	experiment
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
		Example: `  go run ./lab reproduce links --data ~/data --sets ohsumed --queries 10 --repeats 1
  go run ./lab reproduce links --sets citations --json`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	var policies []string
	for _, p := range active.Policies() {
		policies = append(policies, p.Name)
	}
	f := cmd.Flags()
	dataFlag(f, &r.Folder)
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `SETS`: "+strings.Join(paper.LinkSets(), ", "))
	f.StringSliceVar(&r.Models, "model", nil, "these `MODELS`, each under every policy")
	f.StringSliceVar(&r.Policies, "policy", nil, "these `POLICIES`: "+strings.Join(policies, ", "))
	f.Float64SliceVar(&r.Noise, "noise", nil, "`SHARES` of wrong answers")
	f.IntVar(&r.Queries, "queries", 0, "`NUMBER` of queries, or of made-up graphs (of the large sets at most 5)")
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of repeats a query")
	f.IntVar(&r.Pairs, "pairs", 0, "ask at most so `MANY` pairs (default 400)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	r.flags(f, "a model, a policy, a number of pairs")
	return cmd
}

func (r *reproduceLinks) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) { r.doing(p.String()) }
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	if r.figures != "" {
		if err := paper.DrawLinkExample(r.figures); err != nil {
			return err
		}
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	var tables []*paper.LinkTable // of one set, at different noise
	means := func(w io.Writer) error {
		defer func() { tables = nil }()
		if r.json || len(tables) < 2 {
			return nil
		}
		return paper.WriteLinkMeans(w, tables)
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunLinks(cmd.Context(), r.LinkOptions), func(w io.Writer, t *paper.LinkTable) error {
		if len(tables) > 0 && tables[0].Data != t.Data {
			if err := means(w); err != nil {
				return err
			}
		}
		tables = append(tables, t)
		return show[*paper.LinkTable](&r.experiment)(w, t)
	}, means)
}
