package evaluate

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/infer"
	"palate/kernel"
	"palate/model"
)

func chosen(t *testing.T, d *palate.Dataset, o *ChooseOptions) Choice {
	t.Helper()
	c, err := Choose(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(c.Why)
	if !strings.HasPrefix(c.Why, c.Model) || strings.Contains(c.Why, "\n") {
		t.Errorf("%s: %q", c.Model, c.Why)
	}
	return c
}

func simulated(t *testing.T, o model.SimulateOptions) *palate.Dataset {
	t.Helper()
	d, _, err := model.Simulate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestChoose: what made the votes is found again.
func TestChoose(t *testing.T) {
	alike := model.SimulateOptions{Items: 12, Users: 30, Votes: 600, Seed: 1}
	apart := model.SimulateOptions{Model: "population", Items: 12, Users: 40, Votes: 1600, Taste: 2, Seed: 1}
	if c := chosen(t, simulated(t, alike), nil); c.Model != "single" {
		t.Errorf("voters who are alike: %s", c.Model)
	}
	if c := chosen(t, simulated(t, apart), nil); c.Model != "population" && c.Model != "crowd" {
		t.Errorf("voters who differ: %s", c.Model)
	}
	if c := chosen(t, simulated(t, apart), &ChooseOptions{Settings: model.Settings{Rule: infer.EP{}}}); c.Model != "single" {
		t.Errorf("one utility for all: %s", c.Model)
	}
	if c := chosen(t, simulated(t, alike), &ChooseOptions{PerVoter: true}); c.Model != "population" && c.Model != "crowd" {
		t.Errorf("one a voter: %s", c.Model)
	}
	alike.Users = 0
	if c := chosen(t, simulated(t, alike), nil); c.Model != "single" || !strings.Contains(c.Why, "name no voters") {
		t.Errorf("no voters: %s", c.Why)
	}
	alike.Users, alike.Votes = 2, 100
	if c := chosen(t, simulated(t, alike), nil); c.Model != "single" || !strings.Contains(c.Why, "only 2 of 2 voters") {
		t.Errorf("two voters: %s", c.Why)
	}
}

// TestChooseLarge: no trial is made where it would take long.
func TestChooseLarge(t *testing.T) {
	d := simulated(t, model.SimulateOptions{Items: 5, Users: 10, Votes: 100_001, Seed: 1})
	if c := chosen(t, d, nil); c.Model != "single" || !strings.Contains(c.Why, "takes long with 100001 votes") {
		t.Error(c.Why)
	}
	if c := chosen(t, d, &ChooseOptions{PerVoter: true}); c.Model != "population" {
		t.Error(c.Why)
	}
	if n := sample(d, 30_000, 1).NumVotes(); n < 10_000 || n > 30_000 {
		t.Errorf("a sample of %d votes", n)
	}
}

// TestChooseKernel: utilities that jump are told from smooth ones, and links that
// mean something from those that do not.
func TestChooseKernel(t *testing.T) {
	d := simulated(t, model.SimulateOptions{Items: 40, Votes: 1500, Features: 2, Seed: 3})
	c := chosen(t, d, nil)
	took := kernel.Matern32
	if c.Settings.Features != nil {
		took = c.Settings.Features.Shape
	}
	best := took
	most := 0.0
	for k, s := range []kernel.Shape{kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.SE} {
		m, err := model.FitSingle(t.Context(), d, &model.Options{Shape: s})
		if err != nil {
			t.Fatal(err)
		}
		if e := m.Fit().Objective; k == 0 || e > most {
			best, most = s, e
		}
	}
	m, err := model.FitSingle(t.Context(), d, &model.Options{Shape: took})
	if err != nil {
		t.Fatal(err)
	}
	if most-m.Fit().Objective >= 1 {
		t.Errorf("took %v, but %v has %.1f more", took, best, most-m.Fit().Objective)
	}
	if c := chosen(t, d, &ChooseOptions{Settings: model.Settings{Features: &model.FeatureKernel{Shape: kernel.SE}}}); c.Settings.Features.Shape != kernel.SE {
		t.Errorf("the kernel was fixed, and became %v", c.Settings.Features)
	}
}

func TestChooseLinks(t *testing.T) {
	const n = 30
	rng := rand.New(rand.NewPCG(6, 6))
	b := palate.NewBuilder()
	for i := range n {
		b.Item(string(rune('A' + i)))
	}
	for range 400 { // items of one half beat those of the other
		i, j := rng.IntN(n/2), n/2+rng.IntN(n/2)
		v := palate.Vote{User: -1, Left: i, Right: j, Weight: 1}
		if rng.Float64() < 0.1 {
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []bool{true, false} {
		var edges []kernel.Edge
		for i := range n {
			for j := range i {
				if within := (i < n/2) == (j < n/2); within == good && rng.Float64() < 0.3 {
					edges = append(edges, kernel.Edge{From: i, To: j, Weight: 1})
				}
			}
		}
		g, err := kernel.NewGraph(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		c := chosen(t, d, &ChooseOptions{Settings: model.Settings{Links: g}})
		if good && c.Model != "linked" {
			t.Errorf("links that mean something: %s", c.Why)
		}
	}
}

func TestChooseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Choose(ctx, simulated(t, model.SimulateOptions{Items: 5, Users: 10, Votes: 100, Seed: 1}), nil); err == nil {
		t.Error("went on")
	}
}

// TestChooseSettings: the choice among models that tell voters apart goes on to their factors and kernels, and says
// so in the same line.
func TestChooseSettings(t *testing.T) {
	d := simulated(t, model.SimulateOptions{Model: "population", Items: 12, Users: 40, Votes: 1200, Features: 2, Taste: 2, Seed: 1})
	c := chosen(t, d, nil)
	for _, word := range []string{"factors of taste", "kernel"} {
		if !strings.Contains(c.Why, word) {
			t.Errorf("nothing about %s: %s", word, c.Why)
		}
	}
	if (c.Settings.Features != nil) != strings.Contains(c.Why, "than matern32") || (c.Settings.Factors > 0) != strings.Contains(c.Why, "at most, better by") {
		t.Errorf("%+v", c)
	}
}
