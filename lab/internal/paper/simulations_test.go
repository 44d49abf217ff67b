package paper

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// Every simulation runs, has a result for each of its models, and the same seed
// gives the same.
func TestSimulations(t *testing.T) {
	for _, s := range simulations() {
		if s.name == "newcomers" {
			s.values = []float64{600}
		}
		s.values = s.values[:1]
		if s.lines != nil {
			s.lines = s.lines[:1]
		}
		table, err := s.table(context.Background(), StudyOptions{Repeats: 1, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(table.Rows) != len(s.models) {
			t.Errorf("%s: %d rows for %d models", s.name, len(table.Rows), len(s.models))
		}
		var text bytes.Buffer
		if err := table.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			line, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			var o map[string]any
			if err := json.Unmarshal(line, &o); err != nil || o["data"] != "simulation" || o["split"] != s.name {
				t.Errorf("%s: %s: %v", s.name, line, err)
			}
			if !strings.Contains(text.String(), r.Model) {
				t.Errorf("%s: no %s in\n%s", s.name, r.Model, text.String())
			}
			some := false
			for _, m := range simMeasures() {
				mean, _ := r.at(m)
				some = some || !math.IsNaN(mean)
			}
			if !some {
				t.Errorf("%s: nothing is known of %s", s.name, r.Model)
			}
		}
		if err := table.Draw(t.TempDir()); err != nil {
			t.Error(err)
		}
	}
}

// Factors match themselves, whatever their order and sign, and an unmatched one
// counts as nothing.
func TestMatched(t *testing.T) {
	a, b := []float64{1, 2, 4, 3}, []float64{1, -1, 1, -1}
	turned := []float64{-1, -2, -4, -3}
	if r := matched([][]float64{a, b}, [][]float64{b, turned}); math.Abs(r-1) > 1e-12 {
		t.Errorf("turned and in another order: %v", r)
	}
	if r := matched([][]float64{a, b}, [][]float64{a}); math.Abs(r-0.5) > 1e-12 {
		t.Errorf("one of two: %v", r)
	}
	none := []float64{0, 0, 0, 1e-320}
	if r := matched([][]float64{a, b}, [][]float64{a, none}); math.Abs(r-0.5) > 1e-12 {
		t.Errorf("with one of no size: %v", r)
	}
}

func TestScaling(t *testing.T) {
	for s, err := range RunScaling(context.Background(), ScalingOptions{Sets: []string{"scaling"}, Sizes: []int{60}, Seed: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Votes == 0 || !(s.Acc > 0 && s.TrueAcc > 0.5 && s.Pooled > 0) || !(s.Planned > 0) {
			t.Errorf("%+v", *s)
		}
		var text bytes.Buffer
		if WriteScaling(&text, []*Scaling{s}); !strings.Contains(text.String(), "pooled acc") {
			t.Error(text.String())
		}
	}
}
