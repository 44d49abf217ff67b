package palate_test

import (
	"testing"

	"palate"
)

// Every part has items of its own, with their features, and votes keep all else.
func TestInParts(t *testing.T) {
	b := palate.NewBuilder()
	for _, v := range []struct {
		user, left, right string
		o                 palate.Outcome
	}{{"u", "a", "b", palate.Left}, {"", "b", "a", palate.Tie}} {
		if err := b.Say(v.user, v.left, v.right, v.o); err != nil {
			t.Fatal(err)
		}
	}
	b.SetItemFeatures(&palate.Features{Names: []string{"x"}, Rows: 2, Cols: 1, Data: []float64{1, 2}})
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := d.InParts([]int{0, 1}, 2)
	if p.NumItems() != 4 || p.NumVotes() != 2 || d.NumItems() != 2 {
		t.Fatalf("%d items and %d votes in parts, of %d items", p.NumItems(), p.NumVotes(), d.NumItems())
	}
	if v, w := p.Vote(0), p.Vote(1); v.Left != 0 || v.Right != 1 || v.User != 0 || w.Left != 3 || w.Right != 2 || w.Outcome != palate.Tie {
		t.Errorf("votes in parts: %+v and %+v", v, w)
	}
	if f := p.ItemFeatures(); f.Rows != 4 || f.At(3, 0) != 2 || f.At(2, 0) != 1 {
		t.Errorf("features in parts: %+v", f)
	}
	if q := p.WithItemFeatures(&palate.Features{Names: []string{"y"}, Rows: 4, Cols: 1, Data: []float64{4, 3, 2, 1}}); q.ItemFeatures().At(0, 0) != 4 || p.ItemFeatures().At(0, 0) != 1 {
		t.Errorf("other features: %+v", q.ItemFeatures())
	}
}

// Other users are numbered by their names, and nobody is one whose name is empty.
func TestWithUsers(t *testing.T) {
	b := palate.NewBuilder()
	for range 3 {
		if err := b.Say("u", "a", "b", palate.Left); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	w := d.WithUsers([]string{"y", "", "x"})
	if w.NumUsers() != 2 || w.UserID(0) != "x" || w.Vote(0).User != 1 || w.Vote(1).User != -1 || w.Vote(2).User != 0 || d.Vote(0).User != 0 {
		t.Errorf("%d users, votes %+v %+v %+v", w.NumUsers(), w.Vote(0), w.Vote(1), w.Vote(2))
	}
}
