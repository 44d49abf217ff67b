package main

import (
	"fmt"
	"math"

	"palate/internal/cli"
	"palate/model"
)

// fitting returns a listener for a fit; nil when nobody watches.
func fitting(c *cli.Console) func(model.Progress) {
	if !c.Start("fitting", -1) {
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

// evaluating returns a listener for an evaluation; nil when nobody watches.
func evaluating(c *cli.Console, folds int) func(method string, fold int) {
	if !c.Start("evaluating", -1) {
		return nil
	}
	return func(method string, fold int) {
		c.Say("fold %d of %d: %s", fold+1, folds, method)
	}
}
