package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/internal/num"
)

// opposed draws votes of voters who like the items in opposite orders, the first third in one and the
// others in the other, as far as apart says.
func opposed(t *testing.T, apart float64, seed uint64) (*Population, []int) {
	t.Helper()
	const users = 36
	m := populationOf(t, opposedVotes(t, users, 25, apart, seed), nil)
	of := make([]int, users)
	for u := range of {
		var n int
		fmt.Sscanf(m.UserID(u), "v%d", &n)
		if n < users/3 {
			of[u] = 1
		}
	}
	return m, of
}

// electorateOfCamps is a small one, with two camps.
func electorateOfCamps(t *testing.T) *palate.Dataset { return opposedVotes(t, 9, 12, 1.5, 3) }

func opposedVotes(t *testing.T, users, votes int, apart float64, seed uint64) *palate.Dataset {
	t.Helper()
	const items = 8
	rng := rand.New(rand.NewPCG(seed, 5))
	b := palate.NewBuilder()
	for u := range users {
		sign := 1.0
		if u < users/3 {
			sign = -1
		}
		f := make([]float64, items)
		for i := range f {
			f[i] = 0.3*rng.NormFloat64() + sign*apart*(float64(i)-3.5)/3.5
		}
		for range votes {
			i, j := rng.IntN(items), rng.IntN(items-1)
			if j >= i {
				j++
			}
			o := palate.Right
			if rng.Float64() < num.Phi(f[i]-f[j]) {
				o = palate.Left
			}
			if err := b.Say(fmt.Sprintf("v%02d", u), fmt.Sprintf("i%d", i), fmt.Sprintf("i%d", j), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	return built(t, b)
}

// Camps are found, with what they like more than others do, and found again in other samples of
// voters; where there are none what is found is said not to be stable.
func TestSegmentation(t *testing.T) {
	if testing.Short() {
		t.Skip("several fits")
	}
	m, camp := opposed(t, 1.2, 1)
	s, err := m.Segmentation(t.Context())
	if err != nil || s == nil {
		t.Fatalf("segments %v, %v", s, err)
	}
	if s.Chances[1] < 0.5 || len(s.Segments) != 2 {
		t.Fatalf("chances of segments %v; %d are shown", s.Chances, len(s.Segments))
	}
	if share := s.Segments[0].Share; math.Abs(share-2.0/3) > 0.1 {
		t.Errorf("the larger camp has a share of %g", share)
	}
	found := make([]int, len(camp))
	for u := range found {
		var chance float64
		if found[u], chance = s.Of(u); chance < 0.5 {
			t.Errorf("%s is of a segment with chance %g", m.UserID(u), chance)
		}
	}
	if rand := adjustedRand(found, camp); rand < 0.85 {
		t.Errorf("adjusted Rand index with the camps is %g", rand)
	}
	last, err := m.Item("i7")
	if err != nil {
		t.Fatal(err)
	}
	if big := s.Segments[0]; big.More[last] < 3*big.MoreSD[last] || s.Segments[1].More[last] > 0 {
		t.Errorf("the larger camp likes i7 more by %g ± %g, the other by %g", big.More[last], big.MoreSD[last], s.Segments[1].More[last])
	}
	stability, err := m.Stability(t.Context(), s, 4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if stability.String() != "stable" || len(stability.Rand) != 4 || stability.Kept[0] < 0.5 {
		t.Errorf("camps are %v: %v", stability, stability.Rand)
	}
	again, err := m.Stability(t.Context(), s, 4, 1)
	if err != nil || again.Mean() != stability.Mean() {
		t.Errorf("the same seed says %v, then %v: %v", stability.Rand, again.Rand, err)
	}

	m, _ = opposed(t, 0, 2)
	if s, err = m.Segmentation(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s == nil {
		return // none was likely enough to be kept
	}
	if stability, err = m.Stability(t.Context(), s, 4, 1); err != nil {
		t.Fatal(err)
	}
	if stability.String() == "stable" || s.Chances[0] < 0.5 {
		t.Errorf("no camps: chances %v, and %v: %v", s.Chances, stability, stability.Rand)
	}
}

// The index is 1 of the same division under other names, near 0 of unrelated ones, and what the
// formula gives of a table by hand.
func TestAdjustedRand(t *testing.T) {
	a := []int{0, 0, 0, 1, 1, 1}
	if x := adjustedRand(a, []int{5, 5, 5, 2, 2, 2}); x != 1 {
		t.Errorf("of the same division %g", x)
	}
	// pairs: {0,0}: 2, {0,1}: 1, {1,1}: 3; both = 1 + 3, rows 3 + 3, columns 1 + 6
	want := (4.0 - 6*7/15.0) / (6.5 - 6*7/15.0)
	if x := adjustedRand(a, []int{0, 0, 1, 1, 1, 1}); math.Abs(x-want) > 1e-12 {
		t.Errorf("by hand %g, got %g", want, x)
	}
	if got := kept(a, []int{0, 0, 1, 1, 1, 1}); got[0] != true || got[2] != false || got[3] != true {
		t.Errorf("kept %v", got)
	}
}
