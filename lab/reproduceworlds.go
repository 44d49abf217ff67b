package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceWorlds is the command that holds models to truths that they do not assume.
func newReproduceWorlds() *cobra.Command {
	p := paper.Worlds()
	return newStudy(study{
		name:  "worlds",
		short: "Made-up worlds: are boards and chances right on truths that no model assumes?",
		long: `Draw votes from made-up worlds, most of which no model assumes, and hold the boards
of models, and what they say of each voter, to the truth:
` + p.Lines() + `

The columns of the tables:
` + strings.Join(paper.WorldMeasuresAbout(), "\n") + `

Beside the models of palate fit there are auto, which chooses one; check, for what
palate check finds in the votes; single-gamma, single under the prior Gamma(1, 1) of its
inverse squared scale; and, for people, apart (each voter's votes alone) and two baselines
by penalised likelihood with penalties and temperature by cross-validation: voter-bt
(Bradley–Terry with utilities of each voter's own) and factors-3 (with three factors of
taste).

The worlds called many take long, seconds to minutes a drawing, so that they are run
only when they are asked for; the model is that of one utility, along their links where
they have some.

Every model meets the same votes, but in the worlds called adaptive, whose pairs are
those that the model of one utility asks for.`,
		example: `  go run ./lab reproduce worlds --sets coin,scale --repeats 200
  go run ./lab reproduce worlds --sets voters --model single,crowd --results worlds.jsonl
  go run ./lab reproduce worlds --sets people/own --json
  go run ./lab reproduce worlds --sets many --repeats 20 --results many.jsonl`,
		row:     "a model in a world",
		sets:    "`WORLDS`, by name, or of these kinds: " + strings.Join(p.Sets, ", "),
		models:  "`MODELS`, as of palate fit and those above (default: single and check for boards, all but check for people)",
		repeats: "drawings of each world (default 40)",
	}, p)
}
