package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"palate/infer"
	"palate/internal/cli"
)

// stepping are the flags of a fit by random batches.
type stepping struct {
	batch         int
	delay, forget float64
}

func (s *stepping) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&s.batch, "batch", 0, "learn by steps on so `MANY` votes, or voters of a crowd, drawn at random, in place of whole sweeps (0: as needed)")
	f.Float64Var(&s.delay, "delay", 0, "`DELAY` ε of such steps: step i goes (i + ε)^−r of the way (0: 1, for a crowd 10)")
	f.Float64Var(&s.forget, "forget", 0, "forgetting `RATE` r of such steps, above .5 and up to 1 (0: .9)")
}

// ofSteps are the flags of steps on batches.
func ofSteps() []string { return []string{"batch", "delay", "forget"} }

// check refuses values that make no sense.
func (s *stepping) check(cmd *cobra.Command) error {
	switch {
	case s.batch < 0:
		return cli.Usage("--batch %d is negative", s.batch)
	case !(s.delay >= 0):
		return cli.Usage("--delay %v is not a number from 0 on", s.delay)
	case s.forget != 0 && !(s.forget > 0.5 && s.forget <= 1):
		return cli.Usage("--forget %v is not above .5 and up to 1", s.forget)
	case s.batch == 0:
		return without(cmd, []string{"delay", "forget"}, "it is about steps on batches: say --batch")
	}
	return nil
}

// gammaFlag is a Gamma distribution as a flag.
type gammaFlag struct{ infer.Gamma }

func (g *gammaFlag) String() string {
	if g.Gamma == (infer.Gamma{}) {
		return ""
	}
	return fmt.Sprintf("%v,%v", g.Shape, g.Rate)
}

func (g *gammaFlag) Type() string { return "gamma" }

// Set reads a shape and a rate.
func (g *gammaFlag) Set(text string) error {
	shape, rate, two := strings.Cut(text, ",")
	for _, x := range []struct {
		text string
		to   *float64
	}{{shape, &g.Shape}, {rate, &g.Rate}} {
		v, err := strconv.ParseFloat(strings.TrimSpace(x.text), 64)
		if !two || err != nil || !(v > 0 && v <= 1e12) {
			return fmt.Errorf("it takes a shape and a rate, two positive numbers such as 2,2")
		}
		*x.to = v
	}
	return nil
}
