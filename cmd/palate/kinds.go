package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"palate/model"
)

// meaning is what a flag is about: settings of a model, or what a model reads. On
// models that take none of it the flag has no effect.
type meaning struct {
	flag     string
	settings []string
	reads    model.Reads
}

// meanings are those of all flags that some models have no use for.
func meanings() []meaning {
	return []meaning{
		{"items", nil, model.ItemFeatures}, {"vectors", nil, model.ItemFeatures}, {"new-items", nil, model.ItemFeatures | model.ItemLinks},
		{"users", nil, model.UserFeatures}, {"links", nil, model.ItemLinks}, {"user-links", nil, model.UserLinks},
		{"kernel", []string{"Features"}, 0}, {"combine", []string{"Features"}, 0}, {"lengths", []string{"Features"}, 0},
		{"smoothness", []string{"Smoothness"}, 0}, {"inducing", []string{"Inducing"}, 0}, {"link-kernel", []string{"LinkKernel"}, 0},
		{"rule", []string{"Rule"}, 0}, {"likelihood", []string{"Likelihood"}, 0}, {"scale-prior", []string{"ScalePrior"}, 0},
		{"batch", []string{"Steps"}, 0}, {"delay", []string{"Steps"}, 0}, {"forget", []string{"Steps"}, 0},
		{"factors", []string{"Factors"}, 0}, {"tastes", []string{"Tastes"}, 0}, {"nugget", []string{"Nugget"}, 0},
		{"reliability", []string{"Reliability"}, 0}, {"habits", []string{"Habits"}, 0}, {"duels", []string{"Formulation"}, 0},
		{"hold-out", []string{"HoldOut"}, 0}, {"checkpoint", []string{"Checkpoint"}, 0}, {"checkpoint-every", []string{"CheckpointEvery"}, 0},
		{"memory", []string{"MaxMemory"}, 0}, {"on-disk", []string{"Votes"}, 0}, {"trace", []string{"HoldOut"}, 0}, // a trace tells their loss
	}
}

// meaningOf returns what a flag is about, with the value that it has.
func meaningOf(cmd *cobra.Command, m meaning) meaning {
	if m.flag == "lengths" && cmd.Flag(m.flag).Value.String() == "learnt" {
		m.settings = []string{"Lengths"}
	}
	return m
}

// concerns reports whether a kind of model has use for the flag.
func (m meaning) concerns(e model.Entry) bool {
	return e.Reads&m.reads != 0 || slices.ContainsFunc(m.settings, e.Accepts)
}

// idle returns the first flag that was given and has no effect on a kind of model.
func idle(cmd *cobra.Command, e model.Entry) (meaning, bool) {
	for _, m := range meanings() {
		if m = meaningOf(cmd, m); cmd.Flags().Changed(m.flag) && !m.concerns(e) {
			return m, true
		}
	}
	return meaning{}, false
}

// namesWhere lists the models for which a condition holds.
func namesWhere(holds func(model.Entry) bool) (names []string) {
	for _, e := range model.Catalogue() {
		if holds(e) {
			names = append(names, e.Name)
		}
	}
	return names
}

// fittable are the models that --model may name.
func fittable() []string {
	return append([]string{"auto"}, namesWhere(func(model.Entry) bool { return true })...)
}

// drawable are the models that votes can be drawn from.
func drawable() []string { return namesWhere(model.Entry.CanSimulate) }

// models says which models a flag is for, as "--model single, linked or crowd".
func (m meaning) models() string {
	names := namesWhere(m.concerns)
	if len(names) == 1 {
		return "--model " + names[0]
	}
	return "--model " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// modelsFor is models of the flag with a name.
func modelsFor(flag string) string {
	for _, m := range meanings() {
		if m.flag == flag {
			return m.models()
		}
	}
	panic(flag + " is for all models")
}

// modelsReading says which models read something.
func modelsReading(r model.Reads) string { return meaning{reads: r}.models() }

// personal is the model for the board of one voter, where none is asked for.
func personal() string {
	return namesWhere(func(e model.Entry) bool { return e.AutoVotes >= 0 && e.Reads.Has(model.Voters) })[0]
}

// modelHelp describes what --model may be.
func modelHelp() string {
	all := []string{"auto (chosen by what the votes hold)"}
	for _, e := range model.Catalogue() {
		all = append(all, e.Name+" ("+e.About+")")
	}
	return strings.Join(all, ", ")
}
