package paper

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"palate"
	"palate/evaluate"
	"palate/infer"
	"palate/lab/internal/worlds"
	"palate/model"
)

// autoModel stands for the model that evaluate.Choose takes, checkModel for what palate check finds in the votes, and
// apartModel for a utility of each voter from that voter's votes alone, and gammaModel for single under the prior of its
// scale that CROWD has.
const (
	autoModel  = "auto"
	checkModel = "check"
	apartModel = "apart"
	gammaModel = "single-gamma"
)

// peopleSet begins the names of the sets of worlds that ask what each voter would say, and manySet are those of many items.
const (
	peopleSet = "people"
	manySet   = "many"
)

// Worlds tries models in made-up worlds, with a table for every kind of world. What a world draws depends on nothing but
// the seed, its name and the number of the drawing, unless its votes are chosen by a model.
func Worlds() Study[*WorldTable] {
	return Study[*WorldTable]{
		Sets:  worldSets(),
		About: about(worlds.All(), func(w worlds.World) (string, string) { return w.Name, w.About }),
		Run:   runWorlds,
		check: checkWorlds,
	}
}

// worldSets lists the kinds of worlds.
func worldSets() (names []string) {
	for _, w := range worlds.All() {
		if !slices.Contains(names, w.Set) {
			names = append(names, w.Set)
		}
	}
	return names
}

// checkWorlds says what is wrong with the options. Models are those of model.Catalogue, auto, check, and for people
// apart and those of penalisedModels.
func checkWorlds(o StudyOptions) error {
	if err := (StudyOptions{Repeats: o.Repeats}).check(nil, nil); err != nil {
		return err
	}
	for _, name := range o.Sets {
		if !slices.ContainsFunc(worlds.All(), func(w worlds.World) bool { return w.Set == name || w.Name == name }) {
			return fmt.Errorf("paper: no world %q; there are %s, and the worlds that --help lists", name, strings.Join(worldSets(), ", "))
		}
	}
	for _, name := range o.Models {
		if _, ok := findPenalised(name); ok || name == apartModel {
			if len(o.Sets) == 0 || slices.ContainsFunc(o.Sets, func(s string) bool { return !strings.HasPrefix(s, peopleSet) }) {
				return fmt.Errorf("paper: %s has no boards: ask for --sets %s", name, peopleSet)
			}
			continue
		}
		if _, err := model.Find(name); err != nil && !slices.Contains([]string{autoModel, checkModel, gammaModel}, name) {
			return fmt.Errorf("paper: %w", err)
		}
	}
	return nil
}

func runWorlds(ctx context.Context, o StudyOptions) iter.Seq2[*WorldTable, error] {
	o.Repeats = o.repeats(40)
	return func(yield func(*WorldTable, error) bool) {
		for _, set := range worldSets() {
			t := &WorldTable{Set: set, Repeats: o.Repeats}
			err := t.run(ctx, o)
			if err == nil && len(t.Rows) == 0 {
				continue
			}
			if err != nil {
				t = nil
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// run tries models in the worlds of a set that are asked for.
func (t *WorldTable) run(ctx context.Context, o StudyOptions) error {
	asked := slices.DeleteFunc(worlds.All(), func(w worlds.World) bool {
		if len(o.Sets) == 0 {
			return w.Set != t.Set || w.Set == manySet
		}
		return w.Set != t.Set || !slices.Contains(o.Sets, w.Set) && !slices.Contains(o.Sets, w.Name)
	})
	models := o.Models
	switch {
	case len(models) > 0:
	case strings.HasPrefix(t.Set, peopleSet):
		models = []string{"single", "population", "crowd", autoModel}
		for _, b := range penalisedModels() {
			models = append(models, b.name)
		}
	case t.Set == manySet:
		models = []string{"single"}
	default:
		models = []string{"single", checkModel}
	}
	done, total := 0, len(asked)*len(models)*o.Repeats
	for _, w := range asked {
		rows := make([]*WorldRow, len(models))
		for k, m := range models {
			rows[k] = &WorldRow{World: w.Name, About: w.About, Model: m}
		}
		for repeat := range o.Repeats {
			drawn := sync.OnceValues(func() (*worlds.Drawn, error) { return w.Draw(ctx, stream(o.Seed, "worlds/"+w.Name, repeat)) })
			for k, m := range models {
				o.progress(Progress{Set: w.Name, Model: m, Split: repeat, Splits: o.Repeats, Done: done, Total: total})
				done++
				key := trialKey{Set: "worlds/" + w.Name, Model: m, Split: repeat, Seed: o.Seed}
				result, err := remembered(o.Results, key, func() (worldResult, error) {
					d, err := drawn()
					if err != nil {
						return nil, err
					}
					if rng := stream(o.Seed, "worlds/draws/"+w.Name, repeat); t.Set == manySet {
						return tryMany(ctx, d, m, rng)
					} else {
						return tryWorld(ctx, d, m, rng)
					}
				})
				if err != nil {
					return fmt.Errorf("paper: %s, drawing %d, %s: %w", w.Name, repeat, m, err)
				}
				if excess, ok := result["excess"]; ok && k > 0 {
					if first, ok := rows[0].results[repeat]["excess"]; ok {
						result["excess_above"] = excess - first
					}
				}
				rows[k].results = append(rows[k].results, result)
			}
		}
		t.Rows = append(t.Rows, rows...)
	}
	return nil
}

// tryWorld fits a model to what a world drew, and holds it to the truth.
func tryWorld(ctx context.Context, d *worlds.Drawn, name string, rng *rand.Rand) (worldResult, error) {
	if name == checkModel {
		return judgeVotes(ctx, d)
	}
	if b, ok := findPenalised(name); ok {
		m, err := fitPenalised(ctx, b, d.Votes, rng.Uint64())
		if err != nil {
			return nil, err
		}
		return judgePeople(m, d), ctx.Err()
	}
	if name == apartModel {
		m, err := fitPerVoter(ctx, Task{Train: d.Votes, Seed: rng.Uint64()})
		if err != nil {
			return nil, err
		}
		return judgePeople(m, d), ctx.Err()
	}
	m, err := fitNamed(ctx, d.Votes, name, model.Settings{Seed: rng.Uint64()})
	if err != nil {
		return nil, err
	}
	if d.Asked != nil {
		return judgePeople(m, d), ctx.Err()
	}
	return judgeBoard(ctx, m, d, rng)
}

// fitNamed fits the model of a name, or the one that auto takes.
func fitNamed(ctx context.Context, d *palate.Dataset, name string, settings model.Settings) (model.Model, error) {
	if name == autoModel {
		choice, err := evaluate.Choose(ctx, d, &evaluate.ChooseOptions{Settings: settings})
		if err != nil {
			return nil, err
		}
		name, settings = choice.Model, choice.Settings
	}
	if name == gammaModel {
		name, settings.ScalePrior = "single", infer.Gamma{Shape: 1, Rate: 1}
	}
	e, err := model.Find(name)
	if err != nil {
		return nil, err
	}
	return e.Fit(ctx, d, &settings)
}
