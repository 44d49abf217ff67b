package population

import (
	"strings"
	"testing"

	"palate"
)

// What does not fit is refused with the most items that do, and with what would
// lift that.
func TestMemoryCheck(t *testing.T) {
	few := mustPeople(t, 10, []palate.Tally{{User: 0, A: 1, B: 2, Weight: 1}})
	many := *few
	many.items = 30000
	for _, c := range []struct {
		name           string
		people         *People
		limit          float64
		features, full bool
		want           []string // nil: fits
	}{
		{name: "few items", people: few, limit: 1e9, features: true},
		{name: "many, with features", people: &many, limit: 8e9, features: true, want: []string{"30000 items take 21.9 GB", "limit of 8.0 GB", "the most items that fit are", "without item features the covariance is of low rank, and any number fits"}},
		{name: "many, without", people: &many, limit: 8e9},
		{name: "many, any covariance", people: &many, limit: 8e9, full: true, want: []string{"the most items that fit are", "a covariance of low rank lifts that to"}},
		{name: "no room to work", people: few, limit: 1e6, want: []string{"the work 34 MB, more than the limit of 1 MB: raise the limit"}},
	} {
		need := Memory(c.people, c.features, c.full, nil, 0)
		err := need.Check(c.limit, c.people.NumItems(), c.features, c.full)
		switch {
		case c.want == nil && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != nil && err == nil:
			t.Errorf("%s: no error for %+v", c.name, need)
		}
		for _, part := range c.want {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q", c.name, err, part)
			}
		}
	}
	votes := Need{Votes: 9e9, Working: 1e8}
	if err := votes.Check(8e9, 10, false, false); err == nil || !strings.Contains(err.Error(), "keep the votes on disk") {
		t.Errorf("too many votes: %v", err)
	}
}
