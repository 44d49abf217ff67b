package main

import (
	"strings"

	"github.com/spf13/cobra"

	"palate/lab/internal/paper"
)

// newReproduceChoosing is the command that holds auto to what it announces.
func newReproduceChoosing() *cobra.Command {
	p := paper.Choosing()
	return newStudy(study{
		name:  "choosing",
		short: "What auto announces of the model that it takes, beside what new answers give",
		long: `Have auto choose a model for votes, and hold the cross-entropy that it announces to that
of new answers of the same voters:
` + p.Lines() + `

The votes called llmfao and country are from the field, in five folds; other models stand
beside auto there, of llmfao as they are and with ties left out of what they learn from.
Those called disguised are the same votes again and again, in other orders and under other
names, and tell by how much the weights of models in the choice move. Votes from the field
are used only when they are asked for, and read from the folders field and sushi of --data
or of the variable PALATE_DATA.`,
		example: `  go run ./lab reproduce choosing --repeats 40
  go run ./lab reproduce choosing --sets llmfao/id --data ~/data --results choosing.jsonl`,
		row:     "a model on some votes",
		sets:    "`VOTES`: " + strings.Join(p.Sets, ", "),
		repeats: "drawings of votes that are made up (default 20)",
		data:    true,
	}, p)
}
