package paper

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func openResults(t *testing.T, path string) *Results {
	t.Helper()
	r, err := OpenResults(path)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestResultsGoOn: a run that ended goes on from what it kept, ends where it would have, and does nothing twice.
func TestResultsGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	o := Options{Folder: sushiFolder(t, 30), Sets: []string{"A-small"}, Models: []string{"majority", "single"}, Seed: 1}
	whole := runAll(t, small(), o)[0]

	ctx, cancel := context.WithCancel(context.Background())
	o.Results = openResults(t, path)
	o.Progress = func(p Progress) {
		if p.Split == 1 && p.Model == "single" {
			cancel()
		}
	}
	var cut *Table
	for table, err := range small().Run(ctx, o) {
		if cut = table; !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	o.Progress = nil

	// As if the power had gone in the middle of the next line, twice.
	for range 2 {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteString("{\"set\":\"sushi/A-sm\n"[:12])
		f.Close()
		o.Results = openResults(t, path)
		if len(o.Results.kept) < 3 {
			t.Fatalf("%d trials kept", len(o.Results.kept))
		}
		on := runAll(t, small(), o)[0]
		if on.Rows[1].Trials[0].Figures[CPU] != cut.Rows[1].Trials[0].Figures[CPU] {
			t.Error("a split that was finished was done again")
		}
		for k, r := range on.Rows {
			for i, trial := range r.Trials {
				if want := whole.Rows[k].Trials[i]; trial.lasting() != want.lasting() || !reflect.DeepEqual(trial.people, want.people) {
					t.Errorf("%s, split %d: %v, want %v", r.Model, i, trial.Figures, want.Figures)
				}
			}
			for m := range CPU {
				if x, y := r.Mean[m], whole.Rows[k].Mean[m]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					t.Errorf("%s: %v %v, want %v", r.Model, m, x, y)
				}
			}
		}
	}

	// With all of it kept the data are not needed; under another name a model is the same; another seed is another run.
	o.Results, o.Folder, o.Models = openResults(t, path), Folder("nowhere"), []string{"pooled-GPPL"}
	if got := runAll(t, small(), o)[0].Rows[0]; got.Trials[2].lasting() != whole.Rows[1].Trials[2].lasting() {
		t.Errorf("%v", got.Trials[2].Figures)
	}
	o.Seed = 2
	for _, err := range small().Run(context.Background(), o) {
		if err == nil {
			t.Error("results of another seed are taken")
		}
	}
	for line, want := range map[string]string{"x\n": ":1: not a trial", "{}\n": "no set, or no model"} {
		if err := os.WriteFile(path, []byte(line), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenResults(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", line, err)
		}
	}
}

// TestResultsAreLossless: trials come back to the last bit, whatever is in them.
func TestResultsAreLossless(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	r := openResults(t, path)
	trial := Trial{Figures: noFigures(), people: []person{{3, 1, math.Inf(1)}}}
	trial.Figures[Acc], trial.Figures[CE] = 1.0/3, math.Inf(1)
	key := trialKey{"a/b", "m", 3, math.MaxUint64}
	if err := r.keep(key, trial); err != nil {
		t.Fatal(err)
	}
	got, ok := openResults(t, path).find(key)
	if !ok || got.Figures[Acc] != 1.0/3 || !math.IsInf(got.Figures[CE], 1) || !math.IsNaN(got.Figures[Tau]) || got.people[0] != trial.people[0] {
		t.Errorf("%v %+v", ok, got)
	}
}

// TestSetsShareFits: sets with the same votes to learn from share a fit, with the figures that each has alone.
func TestSetsShareFits(t *testing.T) {
	e := convarg()
	o := Options{Folder: write(t, argumentFiles(3, 6, 8, 120)), Folds: 2, Models: []string{"crowd", "published-u"}, Seed: 1}
	both := runAll(t, e, o)
	if len(both) != 2 || both[0].Split != "consensus" || both[1].Split != "personal" {
		t.Fatalf("%d tables", len(both))
	}
	o.Sets = []string{"personal"}
	alone := runAll(t, convarg(), o)[0]
	for k, r := range both[1].Rows {
		for i, trial := range r.Trials {
			if trial.Figures[CPU] != both[0].Rows[k].Trials[i].Figures[CPU] {
				t.Errorf("%s is fitted twice", r.Model)
			}
			if trial.lasting() != alone.Rows[k].Trials[i].lasting() {
				t.Errorf("%s: %v beside the consensus, %v alone", r.Model, trial.Figures, alone.Rows[k].Trials[i].Figures)
			}
		}
	}
	for _, r := range append(both[0].Rows, both[1].Rows...) {
		if r.Published.Method != "crowdGPPL" {
			t.Errorf("%s: published %q", r.Model, r.Published.Method)
		}
	}
}
