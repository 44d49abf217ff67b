package paper

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"palate/lab/internal/asking"
)

// AskingOptions say which policies are held against each other, and how often.
type AskingOptions struct {
	Sets     []string // of AskingSets; none: all
	Models   []string // of AskingPolicies; none: all
	Repeats  int      // sets of items of each number; 0: 80
	Seed     uint64
	Progress func(Progress)
	Results  *Results // keeps what is finished; nil: nothing is kept
}

// AskingSets lists the numbers of items.
func AskingSets() (names []string) {
	for _, n := range asking.Sizes() {
		names = append(names, strconv.Itoa(n))
	}
	return names
}

// AskingPolicies lists the policies.
func AskingPolicies() (names []string) {
	for _, p := range asking.Policies() {
		names = append(names, p.Name)
	}
	return names
}

// Check says what is wrong with the options.
func (o AskingOptions) Check() error {
	if o.Repeats < 0 {
		return fmt.Errorf("paper: %d repeats", o.Repeats)
	}
	for _, name := range o.Sets {
		if !slices.Contains(AskingSets(), name) {
			return fmt.Errorf("paper: no set of %q items; there are %s", name, strings.Join(AskingSets(), ", "))
		}
	}
	for _, name := range o.Models {
		if !slices.Contains(AskingPolicies(), name) {
			return fmt.Errorf("paper: no policy %q; there are %s", name, strings.Join(AskingPolicies(), ", "))
		}
	}
	return nil
}

// RunAsking holds policies against each other, and yields a table for every number of
// items. What is asked about depends on nothing but the seed, the number of items and
// that of the run.
func RunAsking(ctx context.Context, o AskingOptions) iter.Seq2[*WorldTable, error] {
	if o.Repeats == 0 {
		o.Repeats = 80
	}
	return func(yield func(*WorldTable, error) bool) {
		for _, n := range asking.Sizes() {
			if len(o.Sets) > 0 && !slices.Contains(o.Sets, strconv.Itoa(n)) {
				continue
			}
			t, err := askingTable(ctx, n, o)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

func askingTable(ctx context.Context, n int, o AskingOptions) (*WorldTable, error) {
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
			if o.Progress != nil {
				o.Progress(Progress{Set: t.Set, Model: p.Name, Split: repeat, Splits: o.Repeats, Done: repeat*len(policies) + k, Total: o.Repeats * len(policies)})
			}
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
