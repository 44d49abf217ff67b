package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/infer"
	"palate/internal/num"
)

// habitual draws votes of voters who call ties each in their own way, and the same votes
// without the ties.
func habitual(t *testing.T, seed uint64, voters, votes int) (all, decided *palate.Dataset, truth []float64, margin []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0x7e5))
	const items = 12
	for range items {
		truth = append(truth, rng.NormFloat64())
	}
	builders := [2]*palate.Builder{palate.NewBuilder(), palate.NewBuilder()}
	for _, b := range builders {
		for i := range items {
			b.Item(fmt.Sprint("item ", i))
		}
	}
	for u := range voters {
		m, lapse := 0.5*math.Exp(0.9*rng.NormFloat64()), 0.4*rng.Float64()
		margin = append(margin, m)
		for range votes {
			v := palate.Vote{Left: rng.IntN(items), Weight: 1}
			v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
			switch z := truth[v.Left] - truth[v.Right] + rng.NormFloat64(); {
			case rng.Float64() < lapse || math.Abs(z) < m:
				v.Outcome = palate.Tie
			case z < 0:
				v.Outcome = palate.Right
			}
			for k, b := range builders {
				v.User = b.User(fmt.Sprint("voter ", u))
				if k == 0 || v.Outcome != palate.Tie {
					if err := b.Add(v); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	var out [2]*palate.Dataset
	for k, b := range builders {
		var err error
		if out[k], err = b.Build(); err != nil {
			t.Fatal(err)
		}
	}
	return out[0], out[1], truth, margin
}

// Ties do not harm what is said of decided votes, and voters' habits are told apart: who
// often calls a tie means the more by a vote that is none.
func TestTiesAreHabits(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	var with, without, shared float64
	n := 0.0
	for seed := range uint64(3) {
		all, decided, truth, margin := habitual(t, seed, 20, 40)
		for _, o := range []Options{{}, {Pooled: true}} {
			m, bare := fit(t, all, &o), fit(t, decided, &o)
			for u, margin := range margin {
				for a := range truth {
					for b := range a {
						win, lose := num.Phi(truth[a]-truth[b]-margin), num.Phi(truth[b]-truth[a]-margin)
						p := win / (win + lose)
						loss := func(q float64) float64 { return -p*math.Log(q) - (1-p)*math.Log(1-q) }
						with += loss(m.Prefer(u, a, b))
						without += loss(bare.Prefer(u, a, b))
						shared += loss(m.Prefer(-1, a, b))
						n++
					}
				}
			}
		}
	}
	with, without, shared = with/n, without/n, shared/n
	t.Logf("cross-entropy of decided votes %.4f, with the habits of nobody %.4f, without ties %.4f", with, shared, without)
	if with > shared || shared > without {
		t.Errorf("decided votes have %.4f, %.4f by somebody unknown, and %.4f without ties", with, shared, without)
	}
}

// What is learnt beside habits climbs the objective that it says: its gradient is that
// of finite differences.
func TestHabitsGradient(t *testing.T) {
	all, _, _, _ := habitual(t, 7, 8, 30)
	for _, pooled := range []bool{false, true} {
		m := &Single{Base: newBase(all), options: Options{Tolerance: 1e-11, Pooled: pooled}}
		m.obs = observe(all.Tallies(!pooled), nil, false, nil)
		m.obs = m.observer(all, nil, m.habitsOf(all), nil)(false)
		if err := m.setPrior(nil); err != nil {
			t.Fatal(err)
		}
		s := m.newSearch(NoSides)
		for u := range s.habits.Of {
			s.habits.Of[u].Lapse = 0.005 // ties far out are not log-concave, where sites match means alone
		}
		checkGradient(t, s, s.first(), 1e-3)
	}
}

// Rows along the graph have the cavities that they have in the end.
func TestGraphForms(t *testing.T) {
	all, _, _, _ := habitual(t, 5, 6, 20)
	m := fit(t, all, &Options{DenseLimit: 4, Pooled: true})
	g, err := infer.NewGraph(m.problem(m.result.Posterior.Prior, m.result.Posterior.Scale, m.voting, 0), infer.Settings{Tolerance: 1e-8})
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	forms := g.Forms()
	for k, f := range r.Forms() {
		near(t, "mean", forms[k].Mean, f.Mean, 1e-4)
		near(t, "variance", forms[k].Var, f.Var, 1e-4)
	}
}
