package model

import (
	"bytes"
	"context"
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"

	"palate"
	"palate/infer"
	"palate/internal/trial"
)

// world is made-up votes: utilities are sums of what a feature explains and of what
// is each item's own, and voters differ by a factor and by tastes of their own.
type world struct {
	explained, apart, factor, own float64
}

func (w world) votes(t *testing.T, features bool, votes int) *palate.Dataset {
	t.Helper()
	const items, users = 16, 20
	rng := rand.New(rand.NewPCG(5, 5))
	b := palate.NewBuilder()
	f := &palate.Features{Names: []string{"x"}, Rows: items, Cols: 1}
	utility, factor := make([]float64, items), make([]float64, items)
	for i := range items {
		b.Item("item" + strconv.Itoa(i))
		x := float64(i)/items*4 - 2
		f.Data = append(f.Data, x)
		utility[i], factor[i] = w.explained*(x*x-1)+w.apart*rng.NormFloat64(), w.factor*rng.NormFloat64()
	}
	if features {
		b.SetItemFeatures(f)
	}
	taste, own := make([]float64, users), make([][items]float64, users)
	for u := range users {
		b.User("user" + strconv.Itoa(u))
		taste[u] = rng.NormFloat64()
		for i := range items {
			own[u][i] = w.own * rng.NormFloat64()
		}
	}
	for range votes {
		v := palate.Vote{User: rng.IntN(users), Left: rng.IntN(items), Weight: 1}
		v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
		of := func(i int) float64 { return utility[i] + taste[v.User]*factor[i] + own[v.User][i] }
		if of(v.Left)-of(v.Right)+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return built(t, b)
}

// Votes held out find the form of the world that votes come from.
func TestCrowdForm(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits, of which TestCrowdFormProcessors has a few")
	}
	narrowly := func(ts ...Tastes) map[Tastes]bool {
		m := map[Tastes]bool{}
		for _, x := range ts {
			m[x] = true
		}
		return m
	}
	for _, c := range []struct {
		name   string
		world  world
		tastes map[Tastes]bool // that will do
		smooth Smoothness
	}{
		{"all alike", world{apart: 1}, narrowly(SameTastes), ChosenSmoothness},
		{"own tastes", world{apart: 0.5, own: 1}, narrowly(OwnTastes, WideTastes), ChosenSmoothness}, // wide ones hold them
		{"a factor", world{apart: 0.5, factor: 2}, narrowly(WideTastes, NarrowTastes, FactorTastes), ChosenSmoothness},
		{"alike, explained by the feature", world{explained: 1}, narrowly(SameTastes), Smooth},
		{"alike, not explained", world{apart: 1.5}, narrowly(SameTastes), Rough},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := c.world.votes(t, c.smooth != ChosenSmoothness, 500)
			m := crowdOf(t, d, nil)
			f := m.Form()
			if !c.tastes[f.Tastes] || f.Smoothness != c.smooth || f.Why == "" {
				t.Errorf("%v: %s", f, f.Why)
			}
			var file bytes.Buffer
			if err := m.Save(t.Context(), &file); err != nil {
				t.Fatal(err)
			}
			back, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			if got := back.(*Crowd).Form(); got != f {
				t.Errorf("%+v from the file, %+v before", got, f)
			}
		})
	}
}

// What is asked for is not tried, nor is anything with few votes.
func TestCrowdFormAskedFor(t *testing.T) {
	alike := world{apart: 1}
	wide := infer.Gamma{Shape: 1, Rate: 50}
	for _, c := range []struct {
		name  string
		votes int
		o     CrowdOptions
		want  CrowdForm
	}{
		{"both", 500, CrowdOptions{Tastes: NarrowTastes, Smoothness: Smooth}, CrowdForm{Tastes: NarrowTastes, Smoothness: Smooth}},
		{"settings of the engine", 500, CrowdOptions{Smoothness: Rough, Tastes: FactorTastes}, CrowdForm{Tastes: FactorTastes, Smoothness: Rough}},
		{"no factors", 500, CrowdOptions{Smoothness: Rough, Tastes: OwnTastes}, CrowdForm{Tastes: OwnTastes, Smoothness: Rough}},
		{"a prior of the engine", 500, CrowdOptions{ItemFeatures: WithoutFeatures, OwnScale: wide}, CrowdForm{Tastes: WideTastes}},
		{"inducing points", 500, CrowdOptions{Tastes: SameTastes, Inducing: 4}, CrowdForm{Tastes: SameTastes}},
		{"few votes", trialLeast - 1, CrowdOptions{}, CrowdForm{Tastes: WideTastes, Smoothness: Rough}},
	} {
		m := crowdOf(t, alike.votes(t, true, c.votes), &c.o)
		if m.Form() != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, m.Form(), c.want)
		}
	}
}

// Of many votes those of some voters are tried, all that each cast.
func TestCrowdFormOfSome(t *testing.T) {
	d := world{apart: 1}.votes(t, false, 3*trialMost/2)
	f, err := chooseForm(context.Background(), d, &CrowdOptions{})
	if err != nil || f.Tastes == WideTastes || f.Why == "" {
		t.Errorf("%v: %s (%v)", f, f.Why, err)
	}
	some := trial.Sample(d, trialMost, 1)
	all, tried := make([]int, d.NumUsers()), make([]int, d.NumUsers())
	for k := range d.NumVotes() {
		all[d.Vote(k).User]++
	}
	for k := range some.NumVotes() {
		tried[some.Vote(k).User]++
	}
	none := 0
	for u := range all {
		if tried[u] == 0 {
			none++
		} else if tried[u] < all[u] {
			t.Errorf("%d of %d votes of a voter", tried[u], all[u])
		}
	}
	if some.NumVotes() > trialMost || none == 0 {
		t.Errorf("%d votes, %d of %d voters without any: %v of %v", some.NumVotes(), none, len(all), tried, all)
	}
}

// The number of processors does not change what is chosen, or by how much.
func TestCrowdFormProcessors(t *testing.T) {
	d := world{explained: 1, factor: 1}.votes(t, true, 300)
	fit := func(n int) CrowdForm {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
		m := crowdOf(t, d, nil)
		return m.Form()
	}
	if one, two := fit(1), fit(3); one != two {
		t.Errorf("%+v on one processor, %+v on three", one, two)
	}
}
