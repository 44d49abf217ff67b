package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
)

// sameAtOnce holds what a model says of all items at once to what it says one by one, of
// everybody, of a voter, and of somebody new.
func sameAtOnce(t *testing.T, m Model) {
	t.Helper()
	check := func(who string, p Predictor, user int) {
		t.Helper()
		top, err := Top(t.Context(), p, user, m.NumItems(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(top) != len(m.Groups()[0]) {
			t.Errorf("%s: %d items at the top, of %d", who, len(top), len(m.Groups()[0]))
		}
		var left, right []int
		for k, x := range top[1:] {
			left, right = append(left, x.Item, top[0].Item), append(right, top[k].Item, x.Item)
		}
		chance, err := PreferAll(t.Context(), p, user, left, right)
		if err != nil {
			t.Fatal(err)
		}
		for k, c := range chance {
			if by := p.Prefer(user, left[k], right[k]); math.Abs(c-by) > 1e-9 {
				t.Errorf("%s: %d before %d with %g at once, %g by itself", who, left[k], right[k], c, by)
			}
		}
		first, _ := p.Utility(user, top[0].Item)
		for _, x := range top {
			mean, variance := p.Utility(user, x.Item)
			if far := math.Abs(mean - first - (x.Score - top[0].Score)); far > 1e-9*(1+math.Abs(first)) || math.Abs(x.SD*x.SD-variance) > 1e-9*(1+variance) {
				t.Errorf("%s, item %d: %g ± %g at once, %g ± %g by itself", who, x.Item, x.Score-top[0].Score, x.SD, mean-first, math.Sqrt(variance))
			}
		}
	}
	check("everybody", m, -1)
	if m.NumUsers() > 0 {
		check("a voter", m, 0)
	}
	if door, ok := m.(Welcomer); ok && m.NumUsers() > 0 {
		g := m.Groups()[0]
		new, err := door.FoldIn([]palate.Vote{{Left: g[0], Right: g[len(g)-1], Outcome: palate.Left}, {Left: g[0], Right: g[len(g)-1], Outcome: palate.Left}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		check("somebody new", new.Alone(), m.NumUsers())
	}
}

// The first few of many are those of the whole order.
func TestFirst(t *testing.T) {
	for _, n := range []int{1, 3, 20, 99, 100, 200} {
		all := rand.New(rand.NewPCG(1, uint64(n))).Perm(100)
		got := first(slices.Clone(all), n, cmp.Compare)
		slices.Sort(all)
		if !slices.Equal(got, all[:min(n, 100)]) {
			t.Errorf("%d of 100: %v", n, got)
		}
	}
}

// The top of a voter is the order of their utilities without what is left out, and the
// consensus has one too.
func TestTop(t *testing.T) {
	d, _ := voters{items: 9, users: 6, votes: 120}.draw(t, 1)
	m := populationOf(t, d, nil)
	for _, user := range []int{-1, 0, 3} {
		all, err := Top(t.Context(), m, user, 100, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != m.NumItems() {
			t.Fatalf("%d of %d items", len(all), m.NumItems())
		}
		var sum, centre float64
		for i := range m.NumItems() {
			mean, _ := m.Utility(user, i)
			centre += mean / float64(m.NumItems())
		}
		for k, x := range all {
			mean, variance := m.Utility(user, x.Item)
			if math.Abs(x.Score-(mean-centre)) > 1e-9 || math.Abs(x.SD*x.SD-variance) > 1e-9 {
				t.Errorf("user %d, item %d: %+v, and by itself %g, %g", user, x.Item, x, mean-centre, variance)
			}
			if sum += x.Score; k > 0 {
				before, _ := m.Utility(user, all[k-1].Item)
				if mean > before {
					t.Errorf("user %d: item %d of %g is after one of %g", user, x.Item, mean, before)
				}
			}
		}
		if sum > 1e-9 || sum < -1e-9 {
			t.Errorf("user %d: scores sum to %g", user, sum)
		}
		some, err := Top(t.Context(), m, user, 2, func(item int) bool { return item == all[0].Item })
		if err != nil || !slices.Equal(some, all[1:3]) {
			t.Errorf("user %d: without the first %v, of %v, %v", user, some, all, err)
		}
	}
}
