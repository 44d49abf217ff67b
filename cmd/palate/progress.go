package main

import (
	"fmt"
	"math"

	"palate/internal/cli"
	"palate/model"
)

// plan says what a fit takes.
func (s *settings) plan(c *cli.Console) {
	if s.model == "auto" {
		c.Plan("choosing a model", 1)
	}
	c.Plan("fitting", 1)
}

// fitting returns a listener for a fit; nil when nobody watches.
func fitting(c *cli.Console) func(model.Progress) {
	c.Step("fitting", "fitting")
	if !c.Watched() {
		return nil
	}
	return func(p model.Progress) {
		what := fmt.Sprintf("fitting: %s, round %d", p.Stage, p.Round)
		if !math.IsNaN(p.Objective) {
			what += fmt.Sprintf(", objective %.2f", p.Objective)
		}
		if p.Evidence != 0 {
			what += fmt.Sprintf(", evidence %.2f", p.Evidence)
		}
		if p.HeldOut > 0 {
			what += fmt.Sprintf(", held-out loss %.4f nats", p.HeldOut)
		}
		c.Say("%s", what)
	}
}

// heldOutVotes is the work of fitting a method to a part of the votes and asking it for the
// others.
const heldOutVotes = "held-out votes"

// evaluating returns a listener for evaluations, of so many fits in all.
func evaluating(c *cli.Console, fits int) func(method string, fold int) {
	c.Plan(heldOutVotes, fits)
	return func(method string, fold int) {
		c.Step(heldOutVotes, fmt.Sprintf("%s: part %d, %s", heldOutVotes, fold+1, method))
	}
}
