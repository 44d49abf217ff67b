package main

import (
	"github.com/spf13/cobra"

	"palate/crowd"
)

// crowdFlags are the flags of --model crowd.
type crowdFlags struct {
	factors                     int
	nugget, reliability, habits bool
}

func (c *crowdFlags) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&c.factors, "factors", 0, "the most `FACTORS` of taste, for --model crowd (0: as needed, negative: none)")
	f.BoolVar(&c.nugget, "nugget", false, "for --model crowd: a part of each item that its features do not explain, learnt beside what they do; texts always have it")
	f.BoolVar(&c.reliability, "reliability", false, "for --model crowd: tell careful voters from careless ones")
	f.BoolVar(&c.habits, "habits", false, "for --model crowd: tell voters who call ties readily from those who do not")
}

// ofCrowd are the flags that only a crowd has.
func ofCrowd() []string { return []string{"factors", "nugget", "reliability", "habits"} }

func (c *crowdFlags) options() crowd.Options {
	return crowd.Options{Factors: c.factors, Nugget: c.nugget, Reliability: c.reliability, Habits: c.habits}
}
