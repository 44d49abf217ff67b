package paper

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"

	"palate/lab/internal/asking"
)

// Asking holds policies against each other, with a table for every number of items and every way to ask about several.
// What is asked about depends on nothing but the seed, the number of items and that of the run.
func Asking() Study[*WorldTable] {
	return Study[*WorldTable]{
		Sets:   append(namesOf(asking.Sizes(), strconv.Itoa), asking.Ways()...),
		Models: namesOf(asking.Policies(), func(p asking.Policy) string { return p.Name }),
		Run:    runAsking,
	}
}

func runAsking(ctx context.Context, o StudyOptions) iter.Seq2[*WorldTable, error] {
	o.Repeats = o.repeats(80)
	return func(yield func(*WorldTable, error) bool) {
		for _, n := range asking.Sizes() {
			if !o.asks(strconv.Itoa(n)) {
				continue
			}
			t, err := askingPairs(ctx, n, o)
			if !yield(t, err) || err != nil {
				return
			}
		}
		for _, way := range asking.Ways() {
			if !o.asks(way) {
				continue
			}
			t, err := askingSets(ctx, way, o)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// askingPairs asks about pairs of so many items.
func askingPairs(ctx context.Context, n int, o StudyOptions) (*WorldTable, error) {
	var marks []string
	for _, mark := range asking.Marks() {
		marks = append(marks, fmt.Sprintf("%g votes", mark*float64(n)))
	}
	t := &WorldTable{Set: fmt.Sprint(n, " items"), Repeats: o.Repeats}
	return askingTable(t, fmt.Sprint("asking/", n), marks, asking.Policies(), o, func(p asking.Policy, items, rng *rand.Rand) ([]asking.Order, error) {
		return asking.Run(ctx, p, n, items, rng)
	})
}

// askingSets asks about several items at once.
func askingSets(ctx context.Context, way string, o StudyOptions) (*WorldTable, error) {
	var marks []string
	for _, mark := range asking.SetMarks() {
		marks = append(marks, fmt.Sprint(mark, " answers"))
	}
	policies := slices.DeleteFunc(asking.Policies(), func(p asking.Policy) bool { return !p.AsksSets() })
	t := &WorldTable{Set: fmt.Sprintf("%s of 4 of %d items", way, asking.SetItems), Repeats: o.Repeats}
	return askingTable(t, "asking/"+way, marks, policies, o, func(p asking.Policy, items, rng *rand.Rand) ([]asking.Order, error) {
		return asking.RunSets(ctx, p, way, items, rng)
	})
}

// askingTable fills a table with what policies find at every mark.
func askingTable(t *WorldTable, set string, marks []string, policies []asking.Policy, o StudyOptions, run func(p asking.Policy, items, rng *rand.Rand) ([]asking.Order, error)) (*WorldTable, error) {
	policies = slices.DeleteFunc(policies, func(p asking.Policy) bool { return len(o.Models) > 0 && !slices.Contains(o.Models, p.Name) })
	for _, mark := range marks {
		for _, p := range policies {
			t.Rows = append(t.Rows, &WorldRow{World: mark, Model: p.Name})
		}
	}
	for repeat := range o.Repeats {
		for k, p := range policies {
			o.progress(Progress{Set: t.Set, Model: p.Name, Split: repeat, Splits: o.Repeats, Done: repeat*len(policies) + k, Total: o.Repeats * len(policies)})
			key := trialKey{Set: set, Model: p.Name, Split: repeat, Seed: o.Seed}
			found, err := remembered(o.Results, key, func() ([]asking.Order, error) {
				return run(p, stream(o.Seed, set, repeat), rand.New(rand.NewPCG(o.Seed, uint64(repeat))))
			})
			if err != nil {
				return nil, fmt.Errorf("paper: %s, run %d, %s: %w", t.Set, repeat, p.Name, err)
			}
			for mark, f := range found {
				r := t.Rows[mark*len(policies)+k]
				r.results = append(r.results, worldResult{"tau": f.Tau, "top_one": f.One, "top_ten": f.Ten})
			}
		}
	}
	return t, nil
}
