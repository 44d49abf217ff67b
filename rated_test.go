package palate

import "testing"

func TestRatings(t *testing.T) {
	b := NewBuilder()
	for _, id := range []string{"a", "b", "c", "d"} {
		b.Item(id)
	}
	u := b.User("u")
	rate := func(item int, rating float64) Vote {
		return Vote{User: u, Left: item, Right: item, Outcome: Rated, Rating: rating, Weight: 1}
	}
	for _, v := range []Vote{rate(0, 3), rate(2, 0), {User: u, Left: 0, Right: 1, Weight: 1}} {
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	bad := rate(1, 2)
	bad.Right = 3
	for _, v := range []Vote{bad, {User: u, Left: 1, Right: 1, Weight: 1}, {User: u, Left: 0, Right: 1, Rating: 2, Weight: 1}} {
		if b.Check(v) == nil {
			t.Errorf("%+v is taken", v)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Components(); len(got) != 2 || len(got[0]) != 3 {
		t.Errorf("components %v: what is rated is connected", got)
	}
	if n := len(d.Tallies(true)); n != 1 {
		t.Errorf("%d tallies of one vote and two ratings", n)
	}
	if !d.HasRatings() || d.Select([]int{2}).HasRatings() || d.Vote(0) != rate(0, 3) || d.Vote(1) != rate(2, 0) {
		t.Error("ratings are not kept")
	}
	again, err := b.Build()
	if err != nil || again.Digest() != d.Digest() || d.Select([]int{0}).Digest() == d.Select([]int{1}).Digest() {
		t.Error("digests do not tell ratings apart")
	}
}
