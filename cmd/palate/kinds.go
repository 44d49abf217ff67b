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
	said     string // what was said of it, where only that has no effect
}

// meanings are those of all flags that some models have no use for.
func meanings() []meaning {
	return []meaning{
		{flag: "items", reads: model.ItemFeatures}, {flag: "vectors", reads: model.ItemFeatures}, {flag: "new-items", reads: model.ItemFeatures | model.ItemLinks},
		{flag: "users", reads: model.UserFeatures}, {flag: "voter-features", settings: []string{"VoterFeatures"}}, {flag: "links", reads: model.ItemLinks}, {flag: "user-links", reads: model.UserLinks},
		{flag: "kernel", settings: []string{"Features"}}, {flag: "combine", settings: []string{"Features"}}, {flag: "lengths", settings: []string{"Features"}},
		{flag: "smoothness", settings: []string{"Smoothness"}}, {flag: "inducing", settings: []string{"Inducing"}}, {flag: "link-kernel", settings: []string{"LinkKernel"}},
		{flag: "context", reads: model.VoteProperties}, {flag: "pooled", settings: []string{"Pooled"}}, {flag: "unit", settings: []string{"Pooled"}}, {flag: "rule", settings: []string{"Rule"}}, {flag: "likelihood", settings: []string{"Likelihood"}}, {flag: "scale-prior", settings: []string{"ScalePrior"}},
		{flag: "batch", settings: []string{"Steps"}}, {flag: "delay", settings: []string{"Steps"}}, {flag: "forget", settings: []string{"Steps"}},
		{flag: "classes", settings: []string{"Scale"}}, {flag: "numbers", settings: []string{"Scale"}},
		{flag: "over", settings: []string{"Periods"}}, {flag: "zone", settings: []string{"Periods"}},
		{flag: "factors", settings: []string{"Factors"}}, {flag: "tastes", settings: []string{"Tastes"}}, {flag: "nugget", settings: []string{"Nugget"}},
		{flag: "reliability", settings: []string{"Reliability"}}, {flag: "habits", settings: []string{"Habits"}}, {flag: "duels", settings: []string{"Formulation"}},
		{flag: "hold-out", settings: []string{"HoldOut"}}, {flag: "checkpoint", settings: []string{"Checkpoint"}}, {flag: "checkpoint-every", settings: []string{"CheckpointEvery"}},
		{flag: "memory", settings: []string{"MaxMemory"}}, {flag: "on-disk", settings: []string{"Votes"}}, {flag: "trace", settings: []string{"HoldOut"}}, // a trace tells their loss
	}
}

// meaningOf returns what a flag is about, with the value that it has.
func meaningOf(cmd *cobra.Command, m meaning) meaning {
	if m.flag == "lengths" && cmd.Flag(m.flag).Value.String() == "learnt" {
		m.settings, m.said = []string{"Lengths"}, "lengths learnt"
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
	return namesWhere(func(e model.Entry) bool { return e.AutoVotes >= 0 && e.Personal() })[0]
}

// modelHelp describes what --model may be.
func modelHelp() string {
	all := []string{"auto (chosen by what the votes hold)"}
	for _, e := range model.Catalogue() {
		all = append(all, e.Name+" ("+e.About+")")
	}
	return strings.Join(all, ", ")
}
