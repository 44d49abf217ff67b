package palate

import (
	"math"
	"testing"
)

func TestTempered(t *testing.T) {
	b := NewBuilder()
	add := func(v Vote) {
		t.Helper()
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		b.Item(id)
	}
	add(Vote{User: -1, Left: 0, Right: 1, Weight: 3}) // on its own
	ranking := b.NewGroup()
	for i := range 4 {
		for j := range i {
			add(Vote{User: -1, Left: j, Right: i, Weight: 1, Group: ranking})
		}
	}
	star := b.NewGroup() // best of three: two votes tell it, and are two
	add(Vote{User: -1, Left: 0, Right: 1, Weight: 2, Group: star})
	add(Vote{User: -1, Left: 0, Right: 2, Weight: 2, Group: star})
	add(Vote{User: -1, Left: 1, Right: 2, Weight: 2, Group: star, Outcome: Skip})
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for k, v := range d.Tempered().Votes() {
		switch v.Group {
		case 0:
			if v.Weight != 3 {
				t.Errorf("vote %d weighs %g", k, v.Weight)
			}
		case ranking:
			sum += v.Weight
			if v.Weight != 0.5 {
				t.Errorf("vote %d of a ranking of 4 weighs %g", k, v.Weight)
			}
		case star:
			if v.Weight != 2 {
				t.Errorf("vote %d of the best of 3 weighs %g", k, v.Weight)
			}
		}
	}
	if math.Abs(sum-3) > 1e-12 {
		t.Errorf("a ranking of 4 weighs %g", sum)
	}
	if got, want := Redundancy(d.Votes()), 13.0/10; math.Abs(got-want) > 1e-12 { // 3 + 6 + 2 + 2, of which the ranking tells 3
		t.Errorf("redundancy %g, want %g", got, want)
	}
	if d.Vote(1).Weight != 1 {
		t.Error("the dataset itself changed")
	}
	loose := d.Select([]int{0})
	if loose.Tempered() != loose {
		t.Error("votes on their own were copied")
	}
}
