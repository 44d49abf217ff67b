package rating

import (
	"context"
	"testing"
)

// TestFewRatingsShowTaste draws people who rate eight items each. Where tastes differ much, a
// factor is found in most worlds; where nobody has any, in few, and the fit is that in which none is
// tried.
func TestFewRatingsShowTaste(t *testing.T) {
	const worlds = 20
	for taste, right := range map[float64]func(found int) bool{
		0:   func(found int) bool { return found <= worlds/4 },
		1.5: func(found int) bool { return found >= 3*worlds/4 },
	} {
		o := world{items: 20, people: 30, each: 8, factors: 1, classes: 5, offset: 0.3, spread: 0.2, taste: taste}
		found := 0
		for seed := range uint64(worlds) {
			rows, _ := o.draw(500 + seed)
			f, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), nil)
			if err != nil {
				t.Fatal(err)
			}
			if f.Factors > 0 {
				found++
				continue
			}
			plain, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), &Options{Factors: -1})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "evidence where factors were tried", f.Evidence, plain.Evidence, 1e-3)
		}
		t.Logf("taste %g: a factor in %d of %d worlds", taste, found, worlds)
		if !right(found) {
			t.Error("too few, or too many")
		}
	}
}
