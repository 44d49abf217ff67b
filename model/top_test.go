package model

import (
	"math"
	"slices"
	"testing"
)

// The top of a voter is the order of their utilities without what is left out, and the
// consensus has one too.
func TestTop(t *testing.T) {
	d, _ := voters{items: 9, users: 6, votes: 120}.draw(t, 1)
	m, err := FitPopulation(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
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
