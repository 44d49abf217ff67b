package paper

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"palate/lab/internal/worlds"
)

// FeatureOptions say in which made-up worlds of items with features models are tried, and how often.
type FeatureOptions struct {
	Sets     []string // of FeatureWorlds; none: all
	Models   []string // of describedModels; none: all, without peers where there is no Python
	Repeats  int      // drawings of each world; 0: 10
	Seed     uint64
	Python   string // that has the packages of the peers; empty: none
	Progress func(Progress)
	Results  *Results // keeps what is finished; nil: nothing is kept
	peer     *peer
}

// FeatureWorlds names the worlds.
func FeatureWorlds() (names []string) {
	for _, w := range worlds.Features() {
		names = append(names, strings.TrimPrefix(w.Name, w.Set+"/"))
	}
	return names
}

// FeatureWorldsAbout describes the worlds, a line each.
func FeatureWorldsAbout() (lines []string) {
	for k, w := range worlds.Features() {
		lines = append(lines, fmt.Sprintf("  %-16s %s", FeatureWorlds()[k], w.About))
	}
	return lines
}

// FeatureModelsAbout describes the models, a line each.
func FeatureModelsAbout() (lines []string) {
	for _, m := range describedModels() {
		lines = append(lines, fmt.Sprintf("  %-16s %s", m.name, m.about))
	}
	return lines
}

// models are those that are asked for.
func (o FeatureOptions) models() (asked []describedModel) {
	for _, m := range describedModels() {
		if len(o.Models) == 0 && (!m.peer || o.Python != "") || slices.Contains(o.Models, m.name) {
			asked = append(asked, m)
		}
	}
	return asked
}

// modelsIn are those that are tried in a world: where votes have no voters none that tells them apart.
func (o FeatureOptions) modelsIn(w worlds.World) []describedModel {
	return slices.DeleteFunc(o.models(), func(m describedModel) bool { return m.personal && !w.Personal })
}

// Check says what is wrong with the options.
func (o FeatureOptions) Check() error {
	if o.Repeats < 0 {
		return fmt.Errorf("paper: %d repeats", o.Repeats)
	}
	for _, name := range o.Sets {
		if !slices.Contains(FeatureWorlds(), name) {
			return fmt.Errorf("paper: no world %q; there are %s", name, strings.Join(FeatureWorlds(), ", "))
		}
	}
	var known []string
	for _, m := range describedModels() {
		known = append(known, m.name)
		if m.peer && o.Python == "" && slices.Contains(o.Models, m.name) {
			return fmt.Errorf("paper: %s is a program in Python: name one that has its packages", m.name)
		}
	}
	for _, name := range o.Models {
		if !slices.Contains(known, name) {
			return fmt.Errorf("paper: no model %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// RunFeatures tries models in made-up worlds of items with features, and yields one table.
func RunFeatures(ctx context.Context, o FeatureOptions) iter.Seq2[*FeatureTable, error] {
	if o.Repeats == 0 {
		o.Repeats = 10
	}
	return func(yield func(*FeatureTable, error) bool) {
		o.peer = &peer{python: o.Python, program: pairwiseProgram}
		defer o.peer.close()
		t := &FeatureTable{Repeats: o.Repeats}
		err := t.run(ctx, o)
		if len(t.Rows) == 0 {
			t = nil
		}
		yield(t, err)
	}
}

// run tries all models in each world.
func (t *FeatureTable) run(ctx context.Context, o FeatureOptions) error {
	asked := slices.DeleteFunc(worlds.Features(), func(w worlds.World) bool {
		return len(o.Sets) > 0 && !slices.Contains(o.Sets, strings.TrimPrefix(w.Name, w.Set+"/"))
	})
	done, total := 0, 0
	for _, w := range asked {
		total += o.Repeats * len(o.modelsIn(w))
	}
	for _, w := range asked {
		models := o.modelsIn(w)
		rows := make([]*FeatureRow, len(models))
		for k, m := range models {
			rows[k] = &FeatureRow{World: strings.TrimPrefix(w.Name, w.Set+"/"), Model: m.name}
		}
		for repeat := range o.Repeats {
			for k, m := range models {
				if o.Progress != nil {
					o.Progress(Progress{Set: w.Name, Model: m.name, Split: repeat, Splits: o.Repeats, Done: done, Total: total})
				}
				done++
				key := trialKey{Set: "worlds/" + w.Name, Model: m.name, Split: repeat, Seed: o.Seed}
				result, err := remembered(o.Results, key, func() (describedResult, error) {
					d, err := w.Draw(ctx, stream(o.Seed, "worlds/"+w.Name, repeat))
					if err != nil {
						return describedResult{}, err
					}
					return m.try(ctx, d, o)
				})
				if err != nil {
					return fmt.Errorf("paper: %s, drawing %d, %s: %w", w.Name, repeat, m.name, err)
				}
				rows[k].results = append(rows[k].results, result)
			}
		}
		t.Rows = append(t.Rows, rows...)
	}
	return nil
}
