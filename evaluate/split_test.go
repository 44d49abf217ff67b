package evaluate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/internal/trial"
)

// disguised returns the votes in another order, under other names of items and voters, and
// the number that each had.
func disguised(t *testing.T, d *palate.Dataset, seed uint64) (*palate.Dataset, []int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0xd15))
	b := palate.NewBuilder()
	items, users := rng.Perm(d.NumItems()), rng.Perm(d.NumUsers())
	for i := range items {
		b.Item(fmt.Sprintf("item %03d", i))
	}
	for u := range users {
		b.User(fmt.Sprintf("voter %03d", u))
	}
	order := rng.Perm(d.NumVotes())
	group := map[int]int{}
	for _, k := range order {
		v := d.Vote(k)
		v.Left, v.Right = items[v.Left], items[v.Right]
		if v.User >= 0 {
			v.User = users[v.User]
		}
		if v.Group > 0 {
			if group[v.Group] == 0 {
				group[v.Group] = b.NewGroup()
			}
			v.Group = group[v.Group]
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return out, order
}

// Votes are divided the same way whatever their order and whatever items and voters are
// called.
func TestSplitByContent(t *testing.T) {
	d := votes(t, 400)
	for _, o := range []SplitOptions{{Folds: 4}, {Folds: 4, Pairs: true}, {By: ByUser, Folds: 4}, {By: ByItem, Folds: 4}, {Share: 0.3}} {
		homes := func(e *palate.Dataset, was func(int) int) string {
			var lines []string
			for f, fold := range split(t, e, &o) {
				var held []string
				for _, c := range fold.Test { // votes that say the same are interchangeable
					v := d.Vote(was(c.Vote))
					v.Group = 0
					held = append(held, fmt.Sprint(v))
				}
				slices.Sort(held)
				lines = append(lines, fmt.Sprint(f, len(fold.Train), held))
			}
			return strings.Join(lines, "\n")
		}
		want := homes(d, func(k int) int { return k })
		for seed := range uint64(5) {
			e, order := disguised(t, d, seed)
			if got := homes(e, func(k int) int { return order[k] }); got != want {
				t.Fatalf("%+v: another division:\n%s\nwas\n%s", o, got, want)
			}
		}
	}
}

// Rankings that are given as their pairs are found, and held out whole; votes on all pairs
// of some items, and on pairs drawn at random, are not taken for them.
func TestSplitRankings(t *testing.T) {
	const items, users = 16, 30
	draw := func(vote func(b *palate.Builder, rng *rand.Rand, user int)) *palate.Dataset {
		rng := rand.New(rand.NewPCG(9, 0x4a))
		b := palate.NewBuilder()
		for i := range items {
			b.Item(fmt.Sprint("item ", i))
		}
		for u := range users {
			vote(b, rng, b.User(fmt.Sprint("voter ", u)))
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	ranking := func(length, times int) *palate.Dataset {
		return draw(func(b *palate.Builder, rng *rand.Rand, user int) {
			for range times {
				order := rng.Perm(items)[:length]
				for j := range order {
					for i := range j {
						_ = b.Add(palate.Vote{User: user, Left: order[i], Right: order[j], Weight: 1})
					}
				}
			}
		})
	}
	pairs := func(votes, among int, noise float64) *palate.Dataset {
		return draw(func(b *palate.Builder, rng *rand.Rand, user int) {
			mine := rng.Perm(items)[:among]
			for j := range mine {
				for i := range j {
					if rng.Float64() < float64(2*votes)/float64(among*(among-1)) {
						v := palate.Vote{User: user, Left: mine[i], Right: mine[j], Weight: 1}
						if rng.Float64() < noise {
							v = v.Swap()
							v.Outcome = palate.Left
						}
						_ = b.Add(v)
					}
				}
			}
		})
	}
	for _, c := range []struct {
		name     string
		d        *palate.Dataset
		rankings int
	}{
		{"a ranking of 6 each", ranking(6, 1), users},
		{"3 rankings of 5 each", ranking(5, 3), 3 * users},
		{"2 rankings of 3 each", ranking(3, 2), 2 * users},
		{"all pairs of 7, a fifth reversed", pairs(21, 7, 0.2), 0},
		{"30 pairs at random", pairs(30, items, 0.2), 0},
		{"30 pairs at random of one taste", pairs(30, items, 0), 0},
	} {
		found := Found(c.d)
		t.Log(c.name, found)
		if n := trial.Answers(c.d, trial.NewKeys(c.d, 0), false).Rankings; n < c.rankings*19/20 || n > c.rankings*21/20 || (found == "") != (n == 0) {
			t.Errorf("%s: %d rankings found, want %d: %q", c.name, n, c.rankings, found)
		}
	}
}

// Labels of one pair are held out together where that is asked for.
func TestSplitPairs(t *testing.T) {
	d := votes(t, 400)
	for _, f := range split(t, d, &SplitOptions{Pairs: true}) {
		held := map[[2]int]bool{}
		for _, c := range f.Test {
			if v := d.Vote(c.Vote); v.Group == 0 {
				held[[2]int{min(v.Left, v.Right), max(v.Left, v.Right)}] = true
			}
		}
		for _, k := range f.Train {
			if v := d.Vote(k); v.Group == 0 && held[[2]int{min(v.Left, v.Right), max(v.Left, v.Right)}] {
				t.Fatalf("vote %d on a pair that was held out is learnt from", k)
			}
		}
	}
}
