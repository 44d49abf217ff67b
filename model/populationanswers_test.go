package model

import (
	"math"
	"slices"
	"testing"

	"palate"
)

// Rankings, choices and votes on disk teach the same as those in memory, to the last bit;
// order does not matter.
func TestPopulationAnswersOnDisk(t *testing.T) {
	d := electorate{items: 6, users: 10, answers: 4, votes: 3}.draw(t)
	disk, err := NewDiskVotes(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	order := make([]int, 0, d.NumVotes())
	for k, v := range d.Votes() {
		if err := disk.Add(v); err != nil {
			t.Fatal(err)
		}
		order = append(order, k)
	}
	slices.Reverse(order)
	want := fitPeople(t, d, &PopulationOptions{Whole: true})
	if !want.family.People().Answers() || len(want.Remarks()) > 0 {
		t.Fatalf("no answers: %v", want.Remarks())
	}
	for name, m := range map[string]*Population{
		"on disk":          fitPeople(t, d, &PopulationOptions{Whole: true, Votes: disk}),
		"in another order": fitPeople(t, d.Select(order), &PopulationOptions{Whole: true}),
	} {
		if m.fit.Objective != want.fit.Objective || !slices.Equal(m.votes, want.votes) {
			t.Errorf("%s: evidence %v and votes %v, want %v and %v", name, m.fit.Objective, m.votes, want.fit.Objective, want.votes)
		}
		for u := range 10 {
			for i := range 6 {
				a, av := m.Utility(u, i)
				b, bv := want.Utility(u, i)
				if a != b || av != bv {
					t.Fatalf("%s: item %d to user %d is %v ± %v, want %v ± %v", name, i, u, a, av, b, bv)
				}
			}
		}
	}
}

// Somebody new who answered about several items is who they would be in the fit, and answers
// that say as much as ratings do are pairs.
func TestPopulationFoldsInAnswers(t *testing.T) {
	d := electorate{items: 6, users: 10, answers: 4, votes: 3}.draw(t)
	m := fitPeople(t, d, &PopulationOptions{Whole: true})
	for u := range 3 {
		var own []palate.Vote
		for _, v := range d.Votes() {
			if v.User == u {
				own = append(own, v)
			}
		}
		n, err := m.FoldIn(own, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			a, av := n.Utility(i)
			b, bv := m.Utility(u, i)
			if math.Abs(a-b) > 1e-4 || math.Abs(av-bv) > 1e-4 {
				t.Errorf("item %d to user %d is %g ± %g anew, %g ± %g in the fit", i, u, a, av, b, bv)
			}
		}
	}
	b := palate.NewBuilder()
	for u := range 4 {
		group := b.NewGroup()
		user := b.User(string(rune('a' + u)))
		for i := range 30 { // ratings in three classes
			for j := range i {
				v := palate.Vote{User: user, Left: b.Item(string(rune('A' + i))), Right: b.Item(string(rune('A' + j))), Weight: 1, Group: group}
				if i%3 < j%3 {
					v.Outcome = palate.Right
				} else if i%3 == j%3 {
					v.Outcome = palate.Tie
				}
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	ratings := built(t, b)
	if r := fitPeople(t, ratings, &PopulationOptions{Whole: true}); r.family.People().Answers() || len(r.Remarks()) != 1 {
		t.Errorf("ratings are answers: %v", r.Remarks())
	}
}

func fitPeople(t *testing.T, d *palate.Dataset, o *PopulationOptions) *Population {
	t.Helper()
	m := populationOf(t, d, o)
	return m
}
