package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// reproduceFeatures is the command that measures what models make of item features.
type reproduceFeatures struct {
	paper.FeatureOptions
	experiment
}

func newReproduceFeatures() *cobra.Command {
	r := &reproduceFeatures{}
	cmd := &cobra.Command{
		Use:   "features",
		Short: "Made-up items with features: chances of known items and of new ones, beside peers",
		Long: `Draw items with features from made-up worlds, and votes on them, and hold what models
say of further pairs, of these items and of as many new ones that are known by features
alone, to the true chances. Utilities have a deviation of 1.5 in units of the noise of a
vote, and are of the features
` + strings.Join(paper.FeatureWorldsAbout(), "\n") + `

Those of people name what all like, then what each likes besides: one of these truths, an
ideal point in two features, or none.

The models:
` + strings.Join(paper.FeatureModelsAbout(), "\n") + `

Programs in Python are run where --python names one that has their packages, as
lab/peers installs them.`,
		Example: `  go run ./lab reproduce features --repeats 3
  go run ./lab reproduce features --sets linear-50,smooth-50 --model single,logistic --json
  go run ./lab reproduce features --python "$(lab/peers botorch)" --results features.jsonl`,
		Args: cli.Needs(0, 0, ""),
		RunE: r.run,
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Sets, "sets", nil, "only these `WORLDS`, by name")
	f.StringSliceVar(&r.Models, "model", nil, "these `MODELS`, of those above (default: all)")
	f.IntVar(&r.Repeats, "repeats", 0, "`NUMBER` of drawings of each world (default 10)")
	f.Uint64Var(&r.Seed, "seed", 1, "`SEED` of all randomness")
	f.StringVar(&r.Python, "python", "", "`FILE` of a Python that has the packages of the peers")
	r.flags(f, "a model in a world")
	return cmd
}

func (r *reproduceFeatures) run(cmd *cobra.Command, _ []string) error {
	r.Progress = func(p paper.Progress) {
		r.doing(fmt.Sprintf("fit %d of %d: %s, drawing %d of %d, %s", p.Done+1, p.Total, p.Set, p.Split+1, p.Splits, p.Model))
	}
	if err := r.Check(); err != nil {
		return cli.Usage("%w", err)
	}
	var err error
	if r.Results, err = r.results(); err != nil {
		return err
	}
	return showAll(cmd.Context(), &r.experiment, paper.RunFeatures(cmd.Context(), r.FeatureOptions), func(w io.Writer, t *paper.FeatureTable) error {
		if r.json {
			return lines(w, t.Rows)
		}
		return t.WriteText(w)
	}, nil)
}
