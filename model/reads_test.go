package model

import (
	"slices"
	"testing"
)

// What a model says it reads is what it depends on: with other features it says
// something else if it reads them, and the same to the last bit if it does not.
func TestReads(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of all forms, which TestRoundTrips has as well")
	}
	type part struct {
		name  string
		has   func(electorate) bool
		other func(*electorate)
		read  Reads
	}
	parts := []part{
		{"features of items", func(e electorate) bool { return e.features > 0 }, func(e *electorate) { e.otherItems = true }, ItemFeatures},
		{"features of users", func(e electorate) bool { return e.about > 0 }, func(e *electorate) { e.otherUsers = true }, UserFeatures},
	}
	chances := func(m Model) (all []float64) {
		for u := -1; u < m.NumUsers(); u++ {
			for i := range m.NumItems() {
				all = append(all, m.Prefer(u, i, (i+1)%m.NumItems()))
			}
		}
		return all
	}
	tried := map[string]map[bool]bool{}
	for _, f := range forms(t) {
		var m Model
		for _, p := range parts {
			switch {
			case !p.has(f.votes):
				continue
			case m != nil:
			case f.grow == 0:
				m = f.fitted(t)
			default: // as it was before it grew
				f.grow = 0
				m = f.fit(t)
			}
			reads := m.Reads().Has(p.read)
			g := f
			p.other(&g.votes)
			if same := slices.Equal(chances(m), chances(g.fit(t))); same == reads {
				t.Errorf("%s: reads %s: %v; with others it says the same: %v", f.name, p.name, reads, same)
			}
			if tried[p.name] == nil {
				tried[p.name] = map[bool]bool{}
			}
			tried[p.name][reads] = true
		}
	}
	for _, p := range parts {
		if !tried[p.name][true] || !tried[p.name][false] {
			t.Errorf("%s: not both read and left out by some form", p.name)
		}
	}
}
