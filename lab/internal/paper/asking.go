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

// AskingSets lists the numbers of items.
func AskingSets() []string { return namesOf(asking.Sizes(), strconv.Itoa) }

// AskingPolicies lists the policies.
func AskingPolicies() []string {
	return namesOf(asking.Policies(), func(p asking.Policy) string { return p.Name })
}

// CheckAsking says what is wrong with the options.
func CheckAsking(o StudyOptions) error { return o.check(AskingSets(), AskingPolicies()) }

// RunAsking holds policies against each other, and yields a table for every number of
// items. What is asked about depends on nothing but the seed, the number of items and
// that of the run.
func RunAsking(ctx context.Context, o StudyOptions) iter.Seq2[*WorldTable, error] {
	o.Repeats = o.repeats(80)
	return func(yield func(*WorldTable, error) bool) {
		for _, n := range asking.Sizes() {
			if !o.asks(strconv.Itoa(n)) {
				continue
			}
			t, err := askingTable(ctx, n, o)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

func askingTable(ctx context.Context, n int, o StudyOptions) (*WorldTable, error) {
	t := &WorldTable{Set: fmt.Sprint(n, " items"), Repeats: o.Repeats}
	policies := slices.DeleteFunc(asking.Policies(), func(p asking.Policy) bool { return len(o.Models) > 0 && !slices.Contains(o.Models, p.Name) })
	marks := asking.Marks()
	for _, mark := range marks {
		for _, p := range policies {
			t.Rows = append(t.Rows, &WorldRow{World: fmt.Sprintf("%g votes", mark*float64(n)), Model: p.Name})
		}
	}
	set := fmt.Sprint("asking/", n)
	for repeat := range o.Repeats {
		for k, p := range policies {
			o.progress(Progress{Set: t.Set, Model: p.Name, Split: repeat, Splits: o.Repeats, Done: repeat*len(policies) + k, Total: o.Repeats * len(policies)})
			key := trialKey{Set: set, Model: p.Name, Split: repeat, Seed: o.Seed}
			found, err := remembered(o.Results, key, func() ([]asking.Order, error) {
				return asking.Run(ctx, p, n, stream(o.Seed, set, repeat), rand.New(rand.NewPCG(o.Seed, uint64(repeat))))
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
