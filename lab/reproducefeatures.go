package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceFeatures is the command that measures what models make of item features.
func newReproduceFeatures() *cobra.Command {
	p := paper.Features()
	return newStudy(study{
		name:  "features",
		short: "Made-up items with features: chances of known items and of new ones, beside peers",
		long: `Draw items with features from made-up worlds, and votes on them, and hold what models
say of further pairs, of these items and of as many new ones that are known by features
alone, to the true chances. Utilities have a deviation of 1.5 in units of the noise of a
vote, and are of the features
` + p.Lines() + `

Those of people name what all like, then what each likes besides: one of these truths, an
ideal point in two features, or none.

The models:
` + strings.Join(paper.FeatureModelsAbout(), "\n") + `

Programs in Python are run where --python names one that has their packages, as
lab/peers installs them.`,
		example: `  go run ./lab reproduce features --repeats 3
  go run ./lab reproduce features --sets linear-50,smooth-50 --model single,logistic --json
  go run ./lab reproduce features --python "$(lab/peers botorch)" --results features.jsonl`,
		row:     "a model in a world",
		sets:    "`WORLDS`, by name",
		models:  "`MODELS`, of those above (default: all)",
		repeats: "drawings of each world (default 10)",
		python:  true,
	}, p)
}
