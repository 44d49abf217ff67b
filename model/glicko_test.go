package model

import (
	"context"
	"math"
	"testing"
	"time"

	"palate/internal/num"

	"palate"
)

// A Glicko that was saved says the same as before, under either rule, and learns
// on from there.
func TestGlickoFile(t *testing.T) {
	d, truth, err := Simulate(t.Context(), SimulateOptions{Items: 12, Votes: 400, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []GlickoRule{Glickman, Diagonal} {
		m, err := FitGlicko(context.Background(), d, &GlickoOptions{Rule: rule})
		if err != nil {
			t.Fatal(err)
		}
		if got := tau(m, truth.Consensus, num.Indices(12)); got < 0.7 {
			t.Errorf("%v: τ %v", rule, got)
		}
		// No other variance foresees the votes much better.
		for _, v := range []float64{0.05, 0.5, 2, 8, 60} {
			o, err := FitGlicko(context.Background(), d, &GlickoOptions{Rule: rule, Variance: v})
			if err != nil || o.Fit().Objective > m.Fit().Objective+1 {
				t.Errorf("%v: %v; log score %v with variance %v, chosen %v", rule, err, o.Fit().Objective, v, m.Fit().Objective)
			}
		}
		got := reopened(t, m)
		if got.Name() != rule.String() || got.Fit() != m.Fit() || got.NumItems() != 12 || got.NumUsers() != 0 || !got.Comparable(0, 11) {
			t.Errorf("read %s %+v, wrote %+v", got.Name(), got.Fit(), m.Fit())
		}
		for i := range 11 {
			if a, b := m.Prefer(-1, i, i+1), got.Prefer(-1, i, i+1); a != b {
				t.Errorf("%v: items %d and %d: %v, read %v", rule, i, i+1, a, b)
			}
		}
		if _, err := got.Extend([]string{"new"}, nil); err == nil {
			t.Error("an item without votes was rated")
		}
	}
}

func TestGlickoVotes(t *testing.T) {
	b := palate.NewBuilder()
	x, y := b.Item("x"), b.Item("y")
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	add := func(o palate.Outcome, weight float64, at time.Time) *palate.Dataset {
		t.Helper()
		if err := b.Add(palate.Vote{User: -1, Left: x, Right: y, Outcome: o, Weight: weight, Time: at}); err != nil {
			t.Fatal(err)
		}
		return built(t, b)
	}
	rated := func(d *palate.Dataset) float64 {
		t.Helper()
		m, err := FitGlicko(context.Background(), d, &GlickoOptions{Variance: 1})
		if err != nil {
			t.Fatal(err)
		}
		return m.Prefer(-1, x, y)
	}
	if _, err := FitGlicko(context.Background(), add(palate.Skip, 1, noon), nil); err == nil {
		t.Error("learnt from a skip")
	}
	add(palate.Left, 1, noon.Add(time.Hour))
	late := rated(add(palate.Right, 1, noon)) // the later vote comes first in the file
	b = palate.NewBuilder()
	x, y = b.Item("x"), b.Item("y")
	add(palate.Right, 1, noon)
	if got := rated(add(palate.Left, 1, noon.Add(time.Hour))); got != late {
		t.Errorf("%v in order of time, %v in order of the file", got, late)
	}
	// A vote of weight 2 is two votes.
	b = palate.NewBuilder()
	x, y = b.Item("x"), b.Item("y")
	twice := rated(add(palate.Left, 2, time.Time{}))
	b = palate.NewBuilder()
	x, y = b.Item("x"), b.Item("y")
	add(palate.Left, 1, time.Time{})
	if got := rated(add(palate.Left, 1, time.Time{})); got != twice {
		t.Errorf("%v after two votes, %v after one of weight 2", got, twice)
	}
	d := add(palate.Tie, 1, time.Time{})
	if got := rated(d); math.Abs(got-0.5) >= math.Abs(twice-0.5) {
		t.Errorf("%v after a tie, %v before", got, twice)
	}
	if _, err := FitGlicko(context.Background(), d, &GlickoOptions{Rule: Diagonal}); err == nil {
		t.Error("the diagonal step took a tie")
	}
	if _, err := FitGlicko(context.Background(), add(palate.Left, 0.5, time.Time{}), nil); err == nil {
		t.Error("half a vote was taken")
	}
}
