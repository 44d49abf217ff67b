package paper

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"palate/lab/internal/worlds"
)

// featureWorld is the name of a world without that of its kind.
func featureWorld(w worlds.World) string { return strings.TrimPrefix(w.Name, w.Set+"/") }

// FeatureModelsAbout describes the models, a line each.
func FeatureModelsAbout() []string {
	return about(describedModels(), func(m describedModel) (string, string) { return m.name, m.about })
}

// modelsIn are the models that are tried in a world: those that are asked for, without peers where there is no Python,
// and none that tells voters apart where votes have none.
func (o StudyOptions) modelsIn(w worlds.World) (asked []describedModel) {
	for _, m := range describedModels() {
		if m.personal && !w.Personal {
			continue
		}
		if len(o.Models) == 0 && (!m.peer || o.Python != "") || slices.Contains(o.Models, m.name) {
			asked = append(asked, m)
		}
	}
	return asked
}

// Features tries models in made-up worlds of items with features, with one table.
func Features() Study[*FeatureTable] {
	s := Study[*FeatureTable]{
		Sets:   namesOf(worlds.Features(), featureWorld),
		About:  about(worlds.Features(), func(w worlds.World) (string, string) { return featureWorld(w), w.About }),
		Models: namesOf(describedModels(), func(m describedModel) string { return m.name }),
		Run:    runFeatures,
	}
	s.check = func(o StudyOptions) error {
		for _, m := range describedModels() {
			if m.peer && o.Python == "" && slices.Contains(o.Models, m.name) {
				return fmt.Errorf("paper: %s is a program in Python: name one that has its packages", m.name)
			}
		}
		return o.check(s.Sets, s.Models)
	}
	return s.beside(pairwiseProgram)
}

func runFeatures(ctx context.Context, o StudyOptions) iter.Seq2[*FeatureTable, error] {
	o.Repeats = o.repeats(10)
	return func(yield func(*FeatureTable, error) bool) {
		t := &FeatureTable{Repeats: o.Repeats}
		err := t.run(ctx, o)
		if len(t.Rows) == 0 {
			t = nil
		}
		yield(t, err)
	}
}

// run tries all models in each world.
func (t *FeatureTable) run(ctx context.Context, o StudyOptions) error {
	asked := slices.DeleteFunc(worlds.Features(), func(w worlds.World) bool {
		return !o.asks(featureWorld(w))
	})
	done, total := 0, 0
	for _, w := range asked {
		total += o.Repeats * len(o.modelsIn(w))
	}
	for _, w := range asked {
		models := o.modelsIn(w)
		rows := make([]*FeatureRow, len(models))
		for k, m := range models {
			rows[k] = &FeatureRow{World: featureWorld(w), Model: m.name}
		}
		for repeat := range o.Repeats {
			for k, m := range models {
				o.progress(Progress{Set: w.Name, Model: m.name, Split: repeat, Splits: o.Repeats, Done: done, Total: total})
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
