package model

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"palate"
)

// electorate says what votes to draw for a row of the table of forms.
type electorate struct {
	items, users, votes int  // votes of each user; of all where there are no users
	ties                bool // some votes are ties
	weighted            bool // some votes weigh 1.5
	features            int  // of the items
	blocks              []int
	about               int     // features of the users
	silent              bool    // the last user never votes
	apart               bool    // two groups of items are not compared with each other
	alike               bool    // users have one taste
	times               int     // that each vote is given; 0: once
	otherItems          bool    // features of the items are others, votes the same
	otherUsers          bool    // features of the users are
	bonus               float64 // of the left item
	bonuses             float64 // deviation of the voters' own bonuses around it
	answers             int     // of each user about four items, rankings and choices by turns
	rated               int     // items that each user rates, from one to five
	days                int     // over which votes are cast, in turn; 0: nobody knows when
}

func (e electorate) draw(t testing.TB) *palate.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(e.items+1000*e.users), 0xf02))
	b := palate.NewBuilder()
	for i := range e.items {
		b.Item(fmt.Sprintf("item %d", i))
	}
	for u := range e.users {
		b.User(fmt.Sprintf("voter %d", u))
	}
	table := func(rows, cols int, blocks []int, other bool) *palate.Features {
		rng := rand.New(rand.NewPCG(uint64(rows), 0xfea))
		if other {
			rng = rand.New(rand.NewPCG(uint64(rows), 0x07e2))
		}
		f := &palate.Features{Rows: rows, Cols: cols, Blocks: blocks}
		for j := range cols {
			f.Names = append(f.Names, fmt.Sprint("f", j))
		}
		for range rows * cols {
			f.Data = append(f.Data, rng.NormFloat64())
		}
		return f
	}
	if e.features > 0 {
		b.SetItemFeatures(table(e.items, e.features, e.blocks, e.otherItems))
	}
	if e.about > 0 {
		b.SetUserFeatures(table(e.users, e.about, nil, e.otherUsers))
	}
	good, odd := make([]float64, e.items), make([]float64, e.items)
	for i := range good {
		good[i], odd[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for u := range max(1, e.users) {
		lean, bonus := rng.NormFloat64(), e.bonus
		if e.bonuses > 0 {
			bonus += e.bonuses * rng.NormFloat64()
		}
		if e.alike {
			lean = 0
		}
		if e.silent && u == e.users-1 {
			continue
		}
		for range e.rated {
			i := rng.IntN(e.items)
			stars := math.Round(min(max(3+good[i]+lean*odd[i]+math.Sqrt(answerNoise)*rng.NormFloat64(), 1), 5))
			if err := b.Add(palate.Vote{User: u, Left: i, Right: i, Outcome: palate.Rated, Rating: stars, Weight: 1}); err != nil {
				t.Fatal(err)
			}
		}
		for k := range e.votes {
			l, r := rng.IntN(e.items), rng.IntN(e.items-1)
			if r >= l {
				r++
			}
			if e.apart && (l < e.items/2) != (r < e.items/2) {
				continue
			}
			v := palate.Vote{User: u, Left: l, Right: r, Weight: 1}
			if e.users == 0 {
				v.User = -1
			}
			if e.days > 0 {
				v.Time = time.Date(2024, 5, 1+k%e.days, 12, 0, 0, 0, time.UTC)
			}
			if e.weighted && k%3 == 0 {
				v.Weight = 1.5
			}
			switch z := good[l] - good[r] + bonus + lean*(odd[l]-odd[r]) + rng.NormFloat64(); {
			case e.ties && math.Abs(z) < 0.4:
				v.Outcome = palate.Tie
			case z < 0:
				v.Outcome = palate.Right
			}
			for range max(1, e.times) {
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for u := range max(1, e.users) {
		for k := range e.answers {
			e.answer(t, b, rng, good, u, k%2 == 1)
		}
	}
	return built(t, b)
}

// answer adds a ranking of four items, or a choice of one of them, in which items tie that
// are near each other if votes do.
func (e electorate) answer(t testing.TB, b *palate.Builder, rng *rand.Rand, good []float64, user int, choice bool) {
	t.Helper()
	items := rng.Perm(e.items)[:4]
	at := map[int]float64{}
	for _, i := range items {
		if at[i] = good[i] + math.Sqrt(answerNoise)*rng.NormFloat64(); e.ties { // in places
			at[i] = math.Round(at[i])
		}
	}
	slices.SortFunc(items, func(i, j int) int { return cmp.Compare(at[j], at[i]) })
	v := palate.Vote{User: user, Weight: 1, Group: b.NewGroup(), Unsided: true}
	if e.users == 0 {
		v.User = -1
	}
	for i := range items {
		for j := i + 1; j < len(items); j++ {
			if v.Left, v.Right, v.Outcome = items[i], items[j], palate.Left; at[v.Left] == at[v.Right] {
				v.Outcome = palate.Tie
			}
			if choice && i > 0 {
				continue
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
}
