package paper

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"palate"
)

type unordered struct{ user, a, b int }

func pairOf(v palate.Vote) unordered {
	return unordered{v.User, min(v.Left, v.Right), max(v.Left, v.Right)}
}

func trainVotes(s *Split) (votes []palate.Vote) {
	for _, v := range s.Train.Votes() {
		votes = append(votes, v)
	}
	return votes
}

// TestSplitLaws holds every way of splitting to: no pair twice, in training and test or in either; half of the test
// votes won by the left; every vote as the truth says; the same seed gives the same split, another gives another.
func TestSplitLaws(t *testing.T) {
	a, b, err := LoadSushi(sushiFolder(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	movies, err := LoadMovieLens100K(write(t, movies100K()))
	if err != nil {
		t.Fatal(err)
	}
	byOrder := func(s *Split, v palate.Vote) bool {
		gold := s.Gold[v.User]
		return slices.Index(gold, v.Left) < slices.Index(gold, v.Right)
	}
	byStars := func(s *Split, v palate.Vote) bool { return slices.Contains(movies.Liked[v.User], v.Left) }
	for name, c := range map[string]struct {
		draw  func(seed uint64) (*Split, error)
		truth func(*Split, palate.Vote) bool
	}{
		"A":      {func(seed uint64) (*Split, error) { return a.Split(20, 5, 25, stream(seed, "A", 0)) }, byOrder},
		"B":      {func(seed uint64) (*Split, error) { return b.Split(30, 10, 1, stream(seed, "B", 0)) }, byOrder},
		"paper":  {func(seed uint64) (*Split, error) { return movies.PaperSplit(stream(seed, "p", 0)) }, byStars},
		"honest": {func(seed uint64) (*Split, error) { return movies.HonestSplit(stream(seed, "h", 0)) }, byStars},
	} {
		s, err := c.draw(1)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen := map[unordered]bool{}
		left := 0
		for k, v := range slices.Concat(trainVotes(s), s.Test) {
			if seen[pairOf(v)] {
				t.Errorf("%s: pair %v occurs twice", name, pairOf(v))
			}
			seen[pairOf(v)] = true
			if (v.Outcome == palate.Left) != c.truth(s, v) || v.Outcome > palate.Right {
				t.Errorf("%s: vote %d: %v is not true", name, k, v)
			}
			if k >= s.Train.NumVotes() && v.Outcome == palate.Left {
				left++
			}
		}
		if left != (len(s.Test)+1)/2 {
			t.Errorf("%s: the left wins %d of %d test votes", name, left, len(s.Test))
		}
		again, _ := c.draw(1)
		if !reflect.DeepEqual(trainVotes(s), trainVotes(again)) || !reflect.DeepEqual(s.Test, again.Test) {
			t.Errorf("%s: the same seed gives two splits", name)
		}
		other, _ := c.draw(2)
		if reflect.DeepEqual(trainVotes(s), trainVotes(other)) && reflect.DeepEqual(s.Test, other.Test) {
			t.Errorf("%s: two seeds give the same split", name)
		}
	}
}

func TestRankingsSplitCounts(t *testing.T) {
	a, _, err := LoadSushi(sushiFolder(t, 30))
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Split(20, 5, 25, stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	train, test := make([]int, 20), make([]int, 20)
	for _, v := range trainVotes(s) {
		train[v.User]++
	}
	for _, v := range s.Test {
		test[v.User]++
	}
	for u := range 20 {
		if train[u] != 5 || test[u] != 25 {
			t.Errorf("user %d: %d and %d pairs", u, train[u], test[u])
		}
		from := slices.Index(a.Users, s.Train.UserID(u))
		if !slices.Equal(a.Orders[from], s.Gold[u]) || !slices.Equal(a.UserFeatures.Row(from), s.Train.UserFeatures().Row(u)) {
			t.Errorf("user %d has another's ranking or features", u)
		}
	}
	if _, err := a.Split(31, 5, 25, stream(1, "", 0)); err == nil {
		t.Error("31 of 30 users")
	}
	if _, err := a.Split(20, 21, 25, stream(1, "", 0)); err == nil {
		t.Error("46 of 45 pairs")
	}
}

func TestRatingsSplits(t *testing.T) {
	r, err := LoadMovieLens100K(write(t, movies100K()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.PaperSplit(stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	// Users have 30, 1 and 3 pairs.
	train, test := make([]int, 3), make([]int, 3)
	for _, v := range trainVotes(s) {
		train[v.User]++
	}
	for _, v := range s.Test {
		test[v.User]++
	}
	if !slices.Equal(test, []int{4, 0, 2}) || !slices.Equal(train, []int{26, 1, 1}) {
		t.Errorf("paper: %v training and %v test pairs", train, test)
	}

	s, err = r.HonestSplit(stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	type taste struct{ user, item int }
	known := map[taste]bool{}
	for _, v := range trainVotes(s) {
		known[taste{v.User, v.Left}], known[taste{v.User, v.Right}] = true, true
	}
	hidden := map[taste]bool{}
	for _, v := range s.Test {
		for _, x := range []taste{{v.User, v.Left}, {v.User, v.Right}} {
			hidden[x] = true
			if known[x] {
				t.Errorf("honest: user %d has votes on hidden item %d", x.user, x.item)
			}
		}
	}
	// Of user 1's 6 and 5 items a fifth is one each; of 3, 1 and 1 it is 1, none and none.
	if want := int(math.Round(6./5)) + 1; len(hidden) != want || len(s.Test) != 1 {
		t.Errorf("honest: %d hidden items, %d test pairs", len(hidden), len(s.Test))
	}
}

// TestCrowdSize: made-up sets have the size they are there for, and hide items as the honest split does.
func TestCrowdSize(t *testing.T) {
	s, err := crowdSize{people: 300, items: 200, features: 3}.split(stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]int]bool{}
	for _, v := range s.Train.Votes() {
		seen[[2]int{v.User, v.Left}], seen[[2]int{v.User, v.Right}] = true, true
	}
	for _, v := range s.Test {
		if seen[[2]int{v.User, v.Left}] || seen[[2]int{v.User, v.Right}] {
			t.Fatalf("%v is of an item that its voter is known to like or not", v)
		}
	}
	// 18.5 million pairs of 45,600 people are 406 each.
	if each := float64(s.Train.NumVotes()) / 300; each < 250 || each > 600 || len(s.Test) < 300 || s.Train.ItemFeatures().Cols != 3 {
		t.Errorf("%.0f pairs a person, %d test pairs", each, len(s.Test))
	}
	if s, err = (crowdSize{people: 100, items: 40, votes: 50}).split(stream(1, "", 0)); err != nil || s.Train.NumVotes() != 5000 || len(s.Test) != 100 || s.Train.ItemFeatures() != nil {
		t.Errorf("%d votes, %d to test, %v", s.Train.NumVotes(), len(s.Test), err)
	}
	// Large sets are run only when asked for.
	for _, set := range must(collaborative().sets(nil)) {
		if set.Large {
			t.Errorf("%s runs unasked", set.Name())
		}
	}
	if sets := must(collaborative().sets([]string{"simulated"})); len(sets) != 2 {
		t.Errorf("%d made-up sets", len(sets))
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
