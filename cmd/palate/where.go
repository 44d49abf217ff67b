package main

import (
	"github.com/spf13/cobra"

	"palate/ingest"
)

// conditions is the flag --where, which may be given several times.
type conditions []ingest.Condition

func (c *conditions) flags(cmd *cobra.Command) {
	cmd.Flags().Var(c, "where", "read only votes that meet this `CONDITION` on a column of theirs: language=English, 'judge!=ann|bob', 'time>=2024-05-01'; given again, all have to hold")
}

// Set adds a condition.
func (c *conditions) Set(text string) error {
	one, err := ingest.ParseCondition(text)
	*c = append(*c, one)
	return err
}

// String shows the conditions, on one line.
func (c *conditions) String() string {
	var all string
	for k, one := range *c {
		if k > 0 {
			all += " and "
		}
		all += one.String()
	}
	return all
}

// Type is what help calls a value.
func (c *conditions) Type() string { return "CONDITION" }
