package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/infer"
	"palate/internal/trial"
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

// weights are those of every kind in a choice.
func weights(c Choice) map[string]float64 {
	w := map[string]float64{c.Model: 1}
	if c.Settings.Parts != nil {
		w = map[string]float64{}
	}
	for _, p := range c.Settings.Parts {
		w[p.Model] = p.Weight
	}
	return w
}

// TestChoose: what made the votes is found again, alone or in an average.
func TestChoose(t *testing.T) {
	alike := model.SimulateOptions{Items: 12, Users: 30, Votes: 600, Seed: 1}
	apart := model.SimulateOptions{Model: "population", Items: 12, Users: 40, Votes: 1600, Taste: 2, Seed: 1}
	if c := chosen(t, simulated(t, alike), nil); weights(c)["single"] < 0.25 {
		t.Errorf("voters who are alike: %s", c.Why)
	}
	if c := chosen(t, simulated(t, apart), nil); weights(c)["population"] < 0.25 || weights(c)["single"] > 0 {
		t.Errorf("voters who differ: %s", c.Why)
	}
	if c := chosen(t, simulated(t, apart), &ChooseOptions{Settings: model.Settings{Rule: infer.EP{}}}); c.Model != "single" {
		t.Errorf("one utility for all: %s", c.Model)
	}
	if c := chosen(t, simulated(t, alike), &ChooseOptions{PerVoter: true}); weights(c)["single"] > 0 {
		t.Errorf("one a voter: %s", c.Why)
	}
	alike.Users = 0
	if c := chosen(t, simulated(t, alike), nil); c.Model != "single" || !strings.Contains(c.Why, "name no voters") {
		t.Errorf("no voters: %s", c.Why)
	}
	alike.Users, alike.Votes = 2, 100
	if c := chosen(t, simulated(t, alike), nil); c.Model != "single" || !strings.Contains(c.Why, "as it takes 3 voters") {
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
	if n := trial.Sample(d, 30_000, 1).NumVotes(); n < 10_000 || n > 30_000 {
		t.Errorf("a sample of %d votes", n)
	}
}

// TestChooseKernel: the fit settles the kernel of one utility, and one that was asked for stays.
func TestChooseKernel(t *testing.T) {
	d := simulated(t, model.SimulateOptions{Items: 20, Votes: 300, Features: 2, Seed: 3})
	if c := chosen(t, d, nil); c.Model != "single" || c.Settings.Features != nil {
		t.Errorf("%s with %v", c.Model, c.Settings.Features)
	}
	if c := chosen(t, d, &ChooseOptions{Settings: model.Settings{Features: &model.FeatureKernel{Shape: kernel.SE}}}); c.Settings.Features.Shape != kernel.SE {
		t.Errorf("the kernel was fixed, and became %v", c.Settings.Features)
	}
}

// TestChooseLinks: links that mean something are told from those that do not.
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

// TestChooseSettings: the choice of one model that tells voters apart goes on to its kernel, and says
// so in the same line.
func TestChooseSettings(t *testing.T) {
	d := simulated(t, model.SimulateOptions{Model: "population", Items: 12, Users: 40, Votes: 1200, Features: 2, Taste: 2, Seed: 1})
	c := chosen(t, d, &ChooseOptions{Settings: model.Settings{HoldOut: 0.01}, PerVoter: true}) // only one kind takes it
	if c.Model != "population" || strings.Contains(c.Why, "kernel") {
		t.Errorf("one kind that was asked for: %s", c.Why)
	}
	c = chosen(t, d, nil)
	if (c.Settings.Parts == nil) != strings.Contains(c.Why, "kernel") || (c.Settings.Features != nil) != strings.Contains(c.Why, "than matern32") {
		t.Errorf("%+v", c)
	}
}

// The choice and its weights hang neither on the order of rows nor on names, and neither does
// what they are said to be worth.
func TestChooseDisguised(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	averages := 0
	for shuffles, o := range map[uint64]model.SimulateOptions{
		4:  {Items: 6, Users: 10, Votes: 100, Seed: 1},
		20: {Model: "population", Items: 6, Users: 12, Votes: 120, Taste: 0.7, Seed: 2},
	} {
		d := simulated(t, o)
		want := chosen(t, d, nil)
		if want.Settings.Parts != nil {
			averages++
		}
		for seed := range shuffles {
			e, _ := disguised(t, d, seed)
			c := chosen(t, e, nil)
			off := math.Abs(c.Loss - want.Loss)
			for _, name := range []string{"single", "population", "crowd"} {
				off = max(off, math.Abs(weights(c)[name]-weights(want)[name]))
			}
			if off > 0.05 {
				t.Errorf("%s, then %s", want.Why, c.Why)
			}
		}
	}
	if averages == 0 {
		t.Error("no average")
	}
}

// Voters with two votes each are told apart where they differ.
func TestChooseTwoVotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0x2707))
	b := palate.NewBuilder()
	const items, users, camps = 8, 600, 2
	for i := range items {
		b.Item(fmt.Sprint("item ", i))
	}
	for u := range users {
		user := b.User(fmt.Sprint("voter ", u))
		for range 2 {
			v := palate.Vote{User: user, Left: rng.IntN(items), Weight: 1}
			v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
			if (v.Left < v.Right) != (u%camps == 0) { // one camp has the order of the other, reversed
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if c := chosen(t, d, nil); weights(c)["population"] < 0.25 || weights(c)["single"] > 0 {
		t.Error(c.Why)
	}
}

// What is said of a choice holds for new answers, though rankings are given as pairs, or each
// label several times.
func TestChooseAnnounces(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const items, users = 16, 40
	for _, c := range []struct {
		name   string
		answer func(b *palate.Builder, rng *rand.Rand, user int, value []float64)
	}{
		{"rankings", func(b *palate.Builder, rng *rand.Rand, user int, value []float64) {
			order, mine := rng.Perm(items)[:6], make([]float64, items)
			for i := range mine {
				mine[i] = value[i] + rng.NormFloat64()
			}
			slices.SortFunc(order, func(i, j int) int { return cmp.Compare(mine[j], mine[i]) })
			for j := range order {
				for i := range j {
					_ = b.Add(palate.Vote{User: user, Left: order[i], Right: order[j], Weight: 1})
				}
			}
		}},
		{"labels given three times", func(b *palate.Builder, rng *rand.Rand, user int, value []float64) {
			for range 4 {
				pair := rng.Perm(items)[:2]
				v := palate.Vote{Left: pair[0], Right: pair[1], Weight: 1}
				if value[v.Left]+rng.NormFloat64() < value[v.Right]+rng.NormFloat64() {
					v.Outcome = palate.Right
				}
				for n := range 3 {
					v.User = (user + n) % users
					_ = b.Add(v)
				}
			}
		}},
	} {
		var off, square float64
		const worlds = 2
		for world := range uint64(worlds) {
			rng := rand.New(rand.NewPCG(world, 0xa11))
			value := make([]float64, items)
			for i := range value {
				value[i] = 0.3 * rng.NormFloat64()
			}
			draw := func(times int) *palate.Dataset {
				b := palate.NewBuilder()
				for i := range items {
					b.Item(fmt.Sprint("item ", i))
				}
				for u := range users {
					b.User(fmt.Sprint("voter ", u))
				}
				for n := range users * times {
					c.answer(b, rng, n%users, value)
				}
				d, err := b.Build()
				if err != nil {
					t.Fatal(err)
				}
				return d
			}
			d, fresh := draw(1), draw(20)
			choice := chosen(t, d, nil)
			e, err := model.Find(choice.Model)
			if err != nil {
				t.Fatal(err)
			}
			m, err := e.Fit(t.Context(), d, &choice.Settings)
			if err != nil {
				t.Fatal(err)
			}
			gets := 0.0
			for _, v := range fresh.Votes() {
				if v.Outcome == palate.Right {
					v = v.Swap()
				}
				gets -= math.Log(m.Prefer(v.User, v.Left, v.Right)) / float64(fresh.NumVotes())
			}
			t.Logf("%s: announces %.3f ± %.3f, gets %.3f", c.name, choice.Loss, choice.Error, gets)
			off += (choice.Loss - gets) / worlds
			square += choice.Error * choice.Error / (worlds * worlds)
		}
		if math.Abs(off) > 2*math.Sqrt(square) {
			t.Errorf("%s: announces %.3f ± %.3f more than it gets", c.name, off, math.Sqrt(square))
		}
	}
}

// Where held-out votes do not tell kinds apart a population counts most, as the others' truths are among
// its forms; a kind that auto may take has votes for it beforehand.
func TestChooseBeforehand(t *testing.T) {
	prior := map[string]float64{}
	for _, e := range model.Catalogue() {
		if (e.AutoVotes >= 0) != (e.AutoPrior > 0) {
			t.Errorf("%s: %d votes, %g beforehand", e.Name, e.AutoVotes, e.AutoPrior)
		}
		prior[e.Name] = e.AutoPrior
	}
	if !(prior["population"] > prior["single"] && prior["single"] > prior["crowd"]) {
		t.Errorf("beforehand %v", prior)
	}
	c := chosen(t, simulated(t, model.SimulateOptions{Items: 8, Users: 12, Votes: 120, Seed: 4}), nil)
	if w := weights(c); len(w) < 2 || w["population"] < 0.5 {
		t.Errorf("few votes of voters who are alike: %s", c.Why)
	}
}

// Voters with two votes each keep most of both: with three eighths held out at a time half of them
// would have one vote left, by which nobody is told from others.
func TestHeldOutOfFewVotes(t *testing.T) {
	for _, c := range []struct {
		users, votes int
		least, most  float64 // doublings
	}{{600, 1200, 0, 0.3}, {4800, 9600, 0, 0.3}, {60, 1200, 0.5, 1}} {
		d := simulated(t, model.SimulateOptions{Items: 12, Users: c.users, Votes: c.votes, Seed: 9})
		h, err := holdOut(t.Context(), d, 1, ByVote)
		if err != nil {
			t.Fatal(err)
		}
		if h.more < c.least || h.more > c.most || h.Held() < 3*heldVotes/4 {
			t.Errorf("%d votes of %d voters: %d held out, and %.2f doublings more to learn from", c.votes, c.users, h.Held(), h.more)
		}
	}
}
