package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"palate"
)

// madeUp draws votes on twelve items in an order, of which left has a bonus, cast a minute
// after each other; change, if not nil, has its way with each vote.
func madeUp(t testing.TB, votes int, bonus float64, change func(k int, v *palate.Vote)) *palate.Dataset {
	t.Helper()
	const n = 12
	rng := rand.New(rand.NewPCG(5, uint64(votes)))
	b := palate.NewBuilder()
	u := make([]float64, n)
	for i := range u {
		b.Item(fmt.Sprintf("item%d", i))
		u[i] = rng.NormFloat64()
	}
	for i := range 10 {
		b.User(fmt.Sprintf("voter%d", i))
	}
	for k := range votes {
		v := palate.Vote{User: rng.IntN(10), Left: rng.IntN(n), Weight: 1, Time: time.Unix(int64(1e9+60*k), 0)}
		v.Right = (v.Left + 1 + rng.IntN(n-1)) % n
		if u[v.Left]-u[v.Right]+bonus+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		if change != nil {
			change(k, &v)
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func shown(int) bool { return true }

// found returns what does not hold of votes.
func found(t *testing.T, d *palate.Dataset, sided func(int) bool) []Finding {
	t.Helper()
	f, err := Assumptions(t.Context(), d, sided)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAssumptionsOfSides finds a bonus of the left side, where there are sides.
func TestAssumptionsOfSides(t *testing.T) {
	d := madeUp(t, 400, 0.8, nil)
	f := found(t, d, shown)
	if len(f) != 1 || f[0].Kind != Sides || *f[0].P > 0.02 || f[0].Count != 400 || f[0].Do == "" {
		t.Errorf("%+v", f)
	}
	if f := found(t, d, func(int) bool { return false }); len(f) != 0 {
		t.Errorf("of votes without sides: %+v", f)
	}
	if f := found(t, madeUp(t, 400, 0, nil), shown); len(f) != 0 {
		t.Errorf("without a bonus: %+v", f)
	}
}

// TestAssumptionsOfDrift finds an order that turns round half way, of which the whole shows
// nothing, and nothing where votes have no times.
func TestAssumptionsOfDrift(t *testing.T) {
	turn := func(k int, v *palate.Vote) {
		if v.User = -1; k >= 200 {
			v.Outcome = palate.Right - v.Outcome
		}
	}
	if f := found(t, madeUp(t, 400, 0, turn), shown); len(f) != 1 || f[0].Kind != Drift {
		t.Errorf("%+v", f)
	}
	if f := found(t, madeUp(t, 400, 0, func(k int, v *palate.Vote) { turn(k, v); v.Time = time.Time{} }), shown); len(f) != 0 {
		t.Errorf("without times: %+v", f)
	}
}

// TestAssumptionsOfRepeats finds answers that are there five times, unless they follow
// from one answer or have weights that are no numbers of votes.
func TestAssumptionsOfRepeats(t *testing.T) {
	five := func(change func(b *palate.Builder, v *palate.Vote)) *palate.Dataset {
		b := palate.NewBuilder()
		once := madeUp(t, 100, 0, nil)
		for i := range once.NumItems() {
			b.Item(once.ItemID(i))
		}
		for u := range once.NumUsers() {
			b.User(once.UserID(u))
		}
		for _, v := range once.Votes() {
			change(b, &v)
			for range 5 {
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	f := found(t, five(func(*palate.Builder, *palate.Vote) {}), shown)
	if len(f) != 1 || f[0].Kind != Repeats {
		t.Errorf("%+v", f)
	}
	if f := found(t, five(func(b *palate.Builder, v *palate.Vote) { v.Group = b.NewGroup() }), shown); len(f) != 0 {
		t.Errorf("of one answer: %+v", f)
	}
	if f := found(t, five(func(_ *palate.Builder, v *palate.Vote) { v.Weight = 0.2 }), shown); len(f) != 0 {
		t.Errorf("of a fifth each: %+v", f)
	}
}

// TestAssumptionsInAnyOrder: rows, and numbers of items and voters, may come in any order.
func TestAssumptionsInAnyOrder(t *testing.T) {
	d := madeUp(t, 300, 0.8, func(k int, v *palate.Vote) {
		if k%3 == 0 {
			v.User = -1
		}
		if k%7 == 0 {
			v.Time = time.Time{}
		}
	})
	b := palate.NewBuilder()
	for _, k := range rand.New(rand.NewPCG(1, 2)).Perm(d.NumVotes()) {
		v := d.Vote(k)
		if v.User >= 0 {
			v.User = b.User(d.UserID(v.User))
		}
		v.Left, v.Right = b.Item(d.ItemID(v.Left)), b.Item(d.ItemID(v.Right))
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	turned, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	say := func(d *palate.Dataset) (all []string) {
		for _, f := range found(t, d, shown) {
			all = append(all, fmt.Sprint(f.Kind, *f.P, f.Says))
		}
		return all
	}
	if a, b := say(d), say(turned); len(a) == 0 || !slices.Equal(a, b) {
		t.Errorf("%q\n%q", a, b)
	}
}

// TestAssumptionsOfFewVotes: of next to nothing, nothing is said.
func TestAssumptionsOfFewVotes(t *testing.T) {
	for votes := range 6 {
		if f := found(t, madeUp(t, votes, 0, nil), shown); len(f) != 0 {
			t.Errorf("%d votes: %+v", votes, f)
		}
	}
	tied := madeUp(t, 50, 0, func(_ int, v *palate.Vote) { v.Outcome = palate.Tie })
	if f := found(t, tied, shown); len(f) != 0 {
		t.Errorf("ties: %+v", f)
	}
}

// TestAssumptionsOfManyVotes: of more votes than are tested some are.
func TestAssumptionsOfManyVotes(t *testing.T) {
	f := found(t, madeUp(t, 2*mostBallots, 0.5, nil), shown)
	if len(f) != 1 || f[0].Kind != Sides || f[0].Count > 13*mostBallots/10 {
		t.Errorf("%+v", f)
	}
}

// TestHolm corrects as Holm did where all shares are equal, and by shares otherwise.
func TestHolm(t *testing.T) {
	tests := []test{{assumption: assumption{share: 1}, p: 0.04}, {assumption: assumption{share: 1}, p: 0.01}, {assumption: assumption{share: 1}, p: 0.03}}
	for k, want := range []float64{0.06, 0.03, 0.06} {
		if got := holm(tests)[k].p; got < want-1e-12 || got > want+1e-12 {
			t.Errorf("test %d: %g, not %g", k, got, want)
		}
	}
	tests[1].share = 2
	for k, want := range []float64{0.06, 0.02, 0.06} {
		if got := holm(tests)[k].p; got < want-1e-12 || got > want+1e-12 {
			t.Errorf("test %d: %g, not %g", k, got, want)
		}
	}
}
