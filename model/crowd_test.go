package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
)

// opinions are votes of two camps, who agree on the first half of the items and
// not on the second.
func opinions(t *testing.T, features bool, ties bool) *palate.Dataset {
	t.Helper()
	const items, users = 8, 30
	rng := rand.New(rand.NewPCG(3, 3))
	b := palate.NewBuilder()
	f := &palate.Features{Names: []string{"x"}, Rows: items, Cols: 1}
	for i := range items {
		b.Item("item" + strconv.Itoa(i))
		f.Data = append(f.Data, float64(i))
	}
	if features {
		b.SetItemFeatures(f)
	}
	for u := range users {
		id := b.User("user" + strconv.Itoa(u))
		camp := float64(u%2*2 - 1)
		for range 12 {
			i, j := rng.IntN(items), rng.IntN(items)
			if i == j {
				continue
			}
			utility := func(i int) float64 {
				if i < items/2 {
					return float64(i)
				}
				return camp * float64(i-items/2)
			}
			v := palate.Vote{User: id, Left: i, Right: j, Weight: 1}
			switch z := utility(i) - utility(j) + rng.NormFloat64(); {
			case ties && math.Abs(z) < 0.5:
				v.Outcome = palate.Tie
			case z < 0:
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return built(t, b)
}

func TestCrowd(t *testing.T) {
	for _, c := range []struct {
		name           string
		features, ties bool
		o              CrowdOptions
	}{
		{"plain", false, false, CrowdOptions{}},
		{"features", true, false, CrowdOptions{}},
		{"inducing", true, false, CrowdOptions{Inducing: 5}},
		{"ties", true, true, CrowdOptions{}},
		{"published model", true, false, CrowdOptions{Tastes: FactorTastes}},
		{"no features", true, false, CrowdOptions{ItemFeatures: WithoutFeatures}},
		{"nugget", true, false, CrowdOptions{Nugget: true}},
		{"nugget on inducing points", true, true, CrowdOptions{Inducing: 5, Nugget: true}},
		{"classes", true, true, CrowdOptions{Reliability: true, Habits: true}},
		{"no factors", false, false, CrowdOptions{Tastes: OwnTastes}},
		{"batches", true, true, CrowdOptions{Steps: Steps{Batch: 10}, Passes: 20}},
		{"batches on inducing points", true, false, CrowdOptions{Inducing: 5, Steps: Steps{Batch: 10}, Passes: 20}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := opinions(t, c.features, c.ties)
			m := crowdOf(t, d, &c.o)
			if c.o.Tastes != OwnTastes {
				// The camps differ on the last items, and on the first they agree.
				if p, q := m.Prefer(0, 7, 4), m.Prefer(1, 7, 4); !(p < 0.4 && q > 0.6) {
					t.Errorf("camps prefer the last item with %.2f and %.2f", p, q)
				}
				if f := m.Factors(); !(f[0].Share > 0.5) || f[0].Weights[0]*f[0].Weights[1] > 0 {
					t.Errorf("shares %.2f…, weights %.2f and %.2f", f[0].Share, f[0].Weights[0], f[0].Weights[1])
				}
			}
			for u := range 2 {
				if p := m.Prefer(u, 3, 0); !(p > 0.7) {
					t.Errorf("user %d prefers item 3 to 0 with %.2f", u, p)
				}
			}
			if c.ties != (m.Fit().Threshold > 0) {
				t.Errorf("threshold %g", m.Fit().Threshold)
			}
			var file bytes.Buffer
			if err := m.Save(t.Context(), &file); err != nil {
				t.Fatal(err)
			}
			back, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			for u := -1; u < d.NumUsers()+1; u++ {
				for i := range d.NumItems() - 1 {
					if p, q := m.Prefer(u, i, i+1), back.Prefer(u, i, i+1); math.Abs(p-q) > 1e-9 {
						t.Fatalf("user %d: %v, from the file %v", u, p, q)
					}
				}
			}
			if b := boardOf(t, back, 1, nil); len(b.Groups) == 0 || len(b.Groups[0].Rows) != d.NumItems() {
				t.Errorf("a board with %d groups", len(b.Groups))
			}
		})
	}
}

// A voter folded in from the votes of another prefers as that one does, from a
// file too.
func TestCrowdFoldIn(t *testing.T) {
	d := opinions(t, true, true)
	o := &CrowdOptions{Tolerance: 1e-7}
	m := crowdOf(t, d, o)
	back := reopened(t, m)
	for _, from := range []*Crowd{m, back.(*Crowd)} {
		for u := range 4 {
			var own []palate.Vote
			for _, v := range d.Votes() {
				if v.User == u {
					own = append(own, v)
				}
			}
			v, err := from.FoldIn(own, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.NumItems() - 1 {
				if p, q := m.Prefer(u, i, i+1), v.Prefer(i, i+1); math.Abs(p-q) > 0.02 {
					t.Errorf("user %d, items %d, %d: %.4f inside, %.4f alone", u, i, i+1, p, q)
				}
			}
			if mean, _ := v.Utility(3); math.IsNaN(mean) {
				t.Error("no utility")
			}
			draws, err := v.Draws(t.Context(), 10, rand.New(rand.NewPCG(1, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if r, c := draws.F.Dims(); r != 10 || c != d.NumItems() {
				t.Errorf("%d×%d draws", r, c)
			}
		}
		if _, err := from.FoldIn([]palate.Vote{{Left: 0, Right: 99, Weight: 1}}, nil); err == nil {
			t.Error("a vote for an item that is not there")
		}
	}
}

// A new item that looks like an old one is liked like it, and an extended model
// survives its file.
func TestCrowdExtend(t *testing.T) {
	d := opinions(t, true, false)
	for _, o := range []CrowdOptions{{}, {Inducing: 5}} {
		m := crowdOf(t, d, &o)
		e, err := m.Extend([]string{"new"}, mat.NewDense(1, 1, []float64{3}))
		if err != nil {
			t.Fatal(err)
		}
		if p, q := e.Prefer(0, 8, 0), m.Prefer(0, 3, 0); !(p > 0.5) || math.Abs(m.Prefer(0, 3, 0)-e.Prefer(0, 3, 0)) > 1e-6 {
			t.Errorf("the new item beats the first with %.3f, its twin with %.3f", p, q)
		}
		var file bytes.Buffer
		if err := e.Save(t.Context(), &file); err != nil {
			t.Fatal(err)
		}
		back, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if p, q := e.Prefer(1, 8, 4), back.Prefer(1, 8, 4); math.Abs(p-q) > 1e-9 {
			t.Errorf("%v, from the file %v", p, q)
		}
		if _, err := m.Extend([]string{"new"}, mat.NewDense(1, 2, nil)); err == nil {
			t.Error("features of another width")
		}
	}
}

// A fit says beforehand when it would not fit into memory, and a cancelled one
// says that it was.
func TestCrowdLimits(t *testing.T) {
	d := opinions(t, false, false)
	if _, err := FitCrowd(context.Background(), d, &CrowdOptions{MaxMemory: 1000}); err == nil {
		t.Error("a fit in 1000 bytes")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if m, err := FitCrowd(ctx, d, nil); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v, %v", m, err)
	}
}

// led is opinions with features of voters: the camp, and a number that tells
// nothing; and ten more voters who have not voted.
func led(t *testing.T) *palate.Dataset {
	t.Helper()
	d := opinions(t, true, false)
	b := palate.NewBuilder()
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
	}
	b.SetItemFeatures(d.ItemFeatures())
	rng := rand.New(rand.NewPCG(4, 4))
	f := &palate.Features{Names: []string{"camp", "shoe"}, Cols: 2}
	for u := range d.NumUsers() + 10 {
		b.User("user" + strconv.Itoa(u))
		f.Rows++
		f.Data = append(f.Data, float64(u%2), 30+rng.NormFloat64())
	}
	b.SetUserFeatures(f)
	for _, v := range d.Votes() {
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return built(t, b)
}

// Somebody who has not voted prefers as their camp does, also from a file, also
// when they were not in the dataset, and features can be left out.
func TestCrowdVoterFeatures(t *testing.T) {
	d := led(t)
	m := crowdOf(t, d, nil)
	var file bytes.Buffer
	if err := m.Save(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	e, err := back.Extend([]string{"new"}, mat.NewDense(1, 1, []float64{7.1}))
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []*Crowd{m, back.(*Crowd), e.(*Crowd)} {
		if p, q := from.Prefer(30, 7, 4), from.Prefer(31, 7, 4); !(p < 0.4 && q > 0.6) {
			t.Errorf("newcomers of the camps prefer the last item with %.2f and %.2f", p, q)
		}
		if w := from.Factors()[0].Weights; w[30]*w[31] > 0 || w[30]*w[0] < 0 {
			t.Errorf("weights %.2f and %.2f of newcomers, %.2f of a voter", w[30], w[31], w[0])
		}
		for camp, want := range []float64{from.Prefer(30, 7, 4), from.Prefer(31, 7, 4)} {
			v, err := from.FoldIn(nil, []float64{float64(camp), 30})
			if err != nil {
				t.Fatal(err)
			}
			if p := v.Prefer(7, 4); math.Abs(p-want) > 0.1 {
				t.Errorf("camp %d: %.2f in the dataset, %.2f folded in", camp, want, p)
			}
		}
		if _, err := from.FoldIn(nil, []float64{1}); err == nil {
			t.Error("features of another width")
		}
	}
	for u := -1; u < d.NumUsers(); u++ {
		if p, q := m.Prefer(u, 3, 4), back.Prefer(u, 3, 4); math.Abs(p-q) > 1e-9 {
			t.Fatalf("user %d: %v, from the file %v", u, p, q)
		}
	}
	if p := e.Prefer(31, 8, 4); !(p > 0.6) {
		t.Errorf("a newcomer prefers a new item like the last with %.2f", p)
	}
	plain := crowdOf(t, d, &CrowdOptions{VoterFeatures: WithoutFeatures})
	if p, q := plain.Prefer(30, 7, 4), plain.Prefer(-1, 7, 4); p != q {
		t.Errorf("without features somebody new is not an unknown voter: %v, %v", p, q)
	}
	if _, err := plain.FoldIn(nil, []float64{1, 2}); err == nil {
		t.Error("features where the fit had none")
	}
}

// What factors mean: the last items are at their ends.
func TestCrowdFactors(t *testing.T) {
	m := crowdOf(t, opinions(t, true, false), nil)
	f := m.Factors()[0]
	most, least := f.Top(2)
	if !f.InUse() || len(most) != 2 || most[0] == least[0] || f.Items[most[0]] < f.Items[most[1]] || f.Items[least[0]] > f.Items[least[1]] {
		t.Errorf("in use %v, most %v, least %v", f.InUse(), most, least)
	}
	if c := m.ItemFeatures(f); len(c) != 1 || !(math.Abs(c[0].Correlation) > 0.5) {
		t.Errorf("correlations %v", c)
	}
}

// Learning length-scales raises the bound: a feature that tells nothing of
// utilities gets a longer one than that which does.
func TestCrowdLengths(t *testing.T) {
	d := opinions(t, true, false)
	b := palate.NewBuilder()
	rng := rand.New(rand.NewPCG(6, 6))
	f := &palate.Features{Names: []string{"x", "noise"}, Rows: d.NumItems(), Cols: 2}
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
		f.Data = append(f.Data, float64(i), 3*rng.NormFloat64())
	}
	b.SetItemFeatures(f)
	for u := range d.NumUsers() {
		b.User(d.UserID(u))
	}
	for _, v := range d.Votes() {
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	both := built(t, b)
	o := CrowdOptions{Factors: 2, KeepFactors: true}
	median := crowdOf(t, both, &o)
	o.Lengths = LearntLengths
	learnt := crowdOf(t, both, &o)
	if a, b := median.Fit().Objective, learnt.Fit().Objective; !(b > a) {
		t.Errorf("bound %.3f at the median, %.3f learnt", a, b)
	}
	was, is := median.kernel.Params(), learnt.kernel.Params()
	if !(is[2]-was[2] > is[1]-was[1]) {
		t.Errorf("log length-scales moved by %.2f, that of noise by %.2f", is[1]-was[1], is[2]-was[2])
	}
}
