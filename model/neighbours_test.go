package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/floats"

	"palate"
	"palate/internal/num"
)

// camps draws voters of two opposed tastes for the first half of the items and for the other,
// and a last voter who hardly voted.
func camps(t *testing.T, items, users, votes int) *palate.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 1))
	common := make([]float64, items)
	for i := range common {
		common[i] = rng.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range items {
		b.Item("i" + strconv.Itoa(i))
	}
	for u := range users {
		b.User("v" + strconv.Itoa(u))
	}
	for u := range users {
		n := votes
		if u == users-1 {
			n = 2
		}
		for range n {
			p := rng.Perm(items)[:2]
			utility := func(i int) float64 {
				side := 1 - 2*float64(u%2)
				if i >= items/2 {
					side = -side
				}
				return common[i] + side
			}
			o := palate.Right
			if rng.Float64() < num.Phi(utility(p[0])-utility(p[1])) {
				o = palate.Left
			}
			if err := b.Say("v"+strconv.Itoa(u), "i"+strconv.Itoa(p[0]), "i"+strconv.Itoa(p[1]), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	return built(t, b)
}

// Who has a taste in common is near, whatever all have in common; of whom little is known
// little is said; somebody new is near those who would have voted alike; and two are as near
// as they are the other way round.
func TestNeighbours(t *testing.T) {
	const items, users = 10, 25
	d := camps(t, items, users, 40)
	m := populationOf(t, d, nil)
	voters, err := VoterNeighbours(t.Context(), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := num.Indices(users)
	found, err := voters.Of(t.Context(), all, users)
	if err != nil {
		t.Fatal(err)
	}
	alike := map[[2]int]Neighbour{}
	for u, near := range found {
		if len(near) != users-1 {
			t.Fatalf("voter %d has %d neighbours", u, len(near))
		}
		for k, x := range near {
			alike[[2]int{u, x.Index}] = x
			if k > 0 && x.Alike > near[k-1].Alike || x.Index == u || !(x.SD >= 0) {
				t.Errorf("voter %d: %+v after %+v", u, x, near[k-1])
			}
			if k < 8 && u < users-1 && x.Index%2 != u%2 {
				t.Errorf("voter %d has %d of the other camp at place %d", u, x.Index, k+1)
			}
		}
	}
	for pair, x := range alike {
		if y := alike[[2]int{pair[1], pair[0]}]; math.Abs(x.Alike-y.Alike) > 1e-9 || math.Abs(x.SD-y.SD) > 1e-7 {
			t.Errorf("%v: %+v, and the other way round %+v", pair, x, y)
		}
	}
	if a, b := alike[[2]int{0, 2}], alike[[2]int{0, users - 1}]; !(a.Alike > 0.5 && b.Alike < a.Alike && b.SD > a.SD) {
		t.Errorf("%+v of a voter with forty votes, %+v of one with two", a, b)
	}
	others, err := ItemNeighbours(t.Context(), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	together, err := others.Of(t.Context(), []int{0, 9}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for k, of := range []int{0, 9} {
		for _, x := range together[k] {
			if x.Index < items/2 != (of < items/2) || !(x.Alike > 0.3 && x.SD < 0.3) {
				t.Errorf("item %d has the neighbour %+v", of, x)
			}
		}
	}
	var votes []palate.Vote
	for k := range 12 {
		votes = append(votes, palate.Vote{User: -1, Left: 5 + k%5, Right: k % 4, Outcome: palate.Left, Weight: 1})
	}
	guest, err := m.FoldIn(votes, nil)
	if err != nil {
		t.Fatal(err)
	}
	near, err := voters.OfNewcomer(t.Context(), guest, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(near) != 8 || slices.ContainsFunc(near, func(x Neighbour) bool { return x.Index%2 == 0 }) {
		t.Errorf("somebody new who likes the other half: %+v", near)
	}
	again, err := VoterNeighbours(t.Context(), m, 1)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := again.Of(t.Context(), []int{3}, users); err != nil || !slices.Equal(same[0], found[3]) {
		t.Errorf("the same seed gives others: %v", err)
	}
	single := fit(t, d, nil)
	if _, err := ItemNeighbours(t.Context(), single, 1); err == nil {
		t.Error("a model of one board has tastes")
	}
}

// drawTastes draws the tastes of voters, which have a factor in common, less the means of
// voters and of items, and votes by them.
func drawTastes(t *testing.T, seed uint64, items, users, votes int) (truth [][]float64, d *palate.Dataset) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	factor, common := make([]float64, items), make([]float64, items)
	for i := range common {
		factor[i], common[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range items {
		b.Item(strconv.Itoa(i))
	}
	truth = make([][]float64, users)
	mean := make([]float64, items)
	for u := range users {
		truth[u] = make([]float64, items)
		side := rng.NormFloat64()
		for i := range truth[u] {
			truth[u][i] = common[i] + side*factor[i] + 0.7*rng.NormFloat64()
		}
		for range votes {
			p := rng.Perm(items)[:2]
			o := palate.Right
			if rng.Float64() < num.Phi(truth[u][p[0]]-truth[u][p[1]]) {
				o = palate.Left
			}
			if err := b.Say(strconv.Itoa(u), strconv.Itoa(p[0]), strconv.Itoa(p[1]), o); err != nil {
				t.Fatal(err)
			}
		}
		floats.AddConst(-floats.Sum(truth[u])/float64(items), truth[u])
		num.Axpy(1/float64(users), truth[u], mean)
	}
	for u := range users {
		num.Axpy(-1, mean, truth[u])
	}
	return truth, built(t, b)
}

// What is said of neighbours is as sure as it is said to be, of voters and of items.
func TestNeighboursAreCalibrated(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of many votes")
	}
	const items, users, votes, drawings = 12, 30, 50, 10
	type tally struct{ asked, held, square float64 }
	count := func(c *tally, n *Neighbours, err error, tastes [][]float64) {
		if err != nil {
			t.Fatal(err)
		}
		found, err := n.Of(t.Context(), num.Indices(len(tastes)), len(tastes))
		if err != nil {
			t.Fatal(err)
		}
		for a, near := range found {
			for _, x := range near {
				z := (num.Dot(tastes[a], tastes[x.Index]) - x.Alike) / x.SD
				c.square += z * z
				c.asked++
				if math.Abs(z) < 2 {
					c.held++
				}
			}
		}
	}
	var ofVoters, ofItems tally
	for seed := range uint64(drawings) {
		truth, d := drawTastes(t, seed, items, users, votes)
		m := populationOf(t, d, nil)
		columns := make([][]float64, items)
		for i := range columns {
			for _, row := range truth {
				columns[i] = append(columns[i], row[i])
			}
			shrink(columns[i])
		}
		for _, row := range truth {
			shrink(row)
		}
		n, err := VoterNeighbours(t.Context(), m, 1)
		count(&ofVoters, n, err, truth)
		n, err = ItemNeighbours(t.Context(), m, 1)
		count(&ofItems, n, err, columns)
	}
	for what, c := range map[string]tally{"voters": ofVoters, "items": ofItems} {
		share := c.held / c.asked
		t.Logf("%s: %.3f of %.0f within two deviations, mean square %.2f", what, share, c.asked, c.square/c.asked)
		if share < 0.88 || share > 0.995 {
			t.Errorf("%s: %.3f within two deviations", what, share)
		}
	}
}
