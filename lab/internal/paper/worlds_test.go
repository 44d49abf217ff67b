package paper

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
	"palate/lab/internal/worlds"
	"palate/model"
)

// TestJudgeBoard holds a board of one clear order to truths that agree with it, and to
// those that do not.
func TestJudgeBoard(t *testing.T) {
	b := palate.NewBuilder()
	names := []string{"a", "b", "c"}
	for k := range 60 {
		for i, left := range names {
			for _, right := range names[i+1:] {
				o := palate.Left
				if k%10 == 0 {
					o = palate.Right
				}
				l, r := left, right
				if (k+k/10)%2 == 1 { // on either side as often
					l, r, o = right, left, palate.Right-o
				}
				if err := b.Say("", l, r, o); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := fitNamed(t.Context(), d, "single", model.Settings{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	board, err := model.NewBoard(t.Context(), m, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, 3)
	for _, r := range board.Groups[0].Rows {
		scores[r.Item] = r.Score
	}
	judge := func(target []float64) worldResult {
		r, err := judgeBoard(t.Context(), m, &worlds.Drawn{Votes: d, Target: target, Chance: func(a, b int) float64 { return m.Prefer(-1, a, b) }}, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	reversed := slices.Clone(scores)
	slices.Reverse(reversed)
	for _, c := range []struct {
		target []float64
		want   worldResult
	}{
		{scores, worldResult{"coverage": 1, "false_tiers": 0, "false_pairs": 0, "several": 1, "tau": 1, "true_claims": 3, "plain_claims": 3, "true_next": 2, "plain_next": 2, "overclaim": 0, "excess": 0}},
		{reversed, worldResult{"false_tiers": 1, "false_pairs": 1, "several": 1, "tau": -1, "true_claims": 0}},
		{make([]float64, 3), worldResult{"false_tiers": 1, "false_pairs": 1, "several": 1, "tau": 0, "true_claims": 0}},
	} {
		got := judge(c.target)
		for name, want := range c.want {
			if math.Abs(got[name]-want) > 1e-12 {
				t.Errorf("%v: %s is %g, not %g", c.target, name, got[name], want)
			}
		}
		if got["tau_said"] < 0.95 || math.Abs(got["tau_over"]-(got["tau_said"]-got["tau"])) > 1e-12 {
			t.Errorf("τ %g said, %g above the truth", got["tau_said"], got["tau_over"])
		}
	}
}

// TestJudgePeople: a model that says the truth has no excess and no error, and every
// measure of a result is one of the table's.
func TestJudgePeople(t *testing.T) {
	for _, name := range []string{"people/same", "coin/n20-m25"} {
		all := worlds.All()
		w := all[slices.IndexFunc(all, func(w worlds.World) bool { return w.Name == name })]
		drawn, err := w.Draw(t.Context(), rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := tryWorld(t.Context(), drawn, "single", rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		for measure := range r {
			if !slices.ContainsFunc(worldMeasures(), func(m worldMeasure) bool { return m.name == measure }) {
				t.Errorf("%s: %s is in no column", name, measure)
			}
		}
		if drawn.Asked == nil {
			continue
		}
		m, err := fitNamed(t.Context(), drawn.Votes, "single", model.Settings{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for k, q := range drawn.Asked {
			drawn.Asked[k].Chance = m.Prefer(q.User, q.Left, q.Right)
		}
		for measure, x := range judgePeople(m, drawn) {
			if math.Abs(x) > 1e-12 {
				t.Errorf("the truth itself has %s %g", measure, x)
			}
		}
	}
}

// TestPenalised: both tell opposed voters apart, and both are refused where there is no
// ranking of theirs.
func TestPenalised(t *testing.T) {
	b := palate.NewBuilder()
	for k := range 200 {
		voter, o := "for", palate.Left
		if k%2 == 1 {
			voter, o = "against", palate.Right
		}
		if err := b.Say(voter, "a", []string{"b", "c"}[k/2%2], o); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range penalisedModels() {
		m, err := fitPenalised(t.Context(), x, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		if p, q := m.Prefer(0, 0, 1), m.Prefer(1, 0, 1); p < 0.9 || q > 0.1 {
			t.Errorf("%s: chances %g and %g", x.name, p, q)
		}
		if err := checkWorlds(StudyOptions{Models: []string{x.name}, Sets: []string{"coin"}}); err == nil {
			t.Errorf("%s ranks coins", x.name)
		}
		if err := checkWorlds(StudyOptions{Models: []string{x.name}, Sets: []string{"people/own"}}); err != nil {
			t.Error(err)
		}
	}
}

// TestTryMany: a board along links covers the truth that it was drawn from, and every measure is one of the table's.
func TestTryMany(t *testing.T) {
	all := worlds.Many()
	w := all[slices.IndexFunc(all, func(w worlds.World) bool { return w.Name == "many/linked-3000" })]
	drawn, err := w.Draw(t.Context(), rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := tryMany(t.Context(), drawn, "linked", rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	for measure := range r {
		if !slices.ContainsFunc(worldMeasures(), func(m worldMeasure) bool { return m.name == measure }) {
			t.Errorf("%s is in no column", measure)
		}
	}
	if c := r["coverage"]; !(c > 0.92 && c < 0.97) || !(r["tau"] > 0.3) || !(math.Abs(r["overclaim"]) < 0.03) {
		t.Errorf("%v", r)
	}
}
