package ingest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
)

// The votes of ratings are no more than a dozen a rating, are those of whole ballots that share no rating, and do not
// depend on the order of the rows.
func TestRatingsBecomeBallots(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	count := map[string]int{"ann": 1, "bob": 2, "cid": 25, "dan": 26, "eve": 90, "fay": 118}
	var rows []string
	grade := map[[2]string]int{}
	for voter, n := range count {
		for i := range n {
			item := fmt.Sprintf("i%d", i)
			grade[[2]string{voter, item}] = rng.IntN(40)
			rows = append(rows, fmt.Sprintf("%s,%s,%d\n", voter, item, grade[[2]string{voter, item}]))
		}
	}
	slices.Sort(rows)
	votes := func() (all []string) {
		b := palate.NewBuilder()
		if _, err := Votes(t.Context(), "ratings.csv", strings.NewReader("user,item,rating\n"+strings.Join(rows, "")), b, Options{Seed: 5, block: 100}); err != nil {
			t.Fatal(err)
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		ballot, size, cast := map[[2]string]int{}, map[int]int{}, map[string]int{}
		pairs := map[int]int{}
		for _, v := range d.Votes() {
			voter, left, right := d.UserID(v.User), d.ItemID(v.Left), d.ItemID(v.Right)
			all = append(all, fmt.Sprintln(voter, left, right, v.Outcome))
			if x := grade[[2]string{voter, left}] - grade[[2]string{voter, right}]; v.Outcome != palate.Left || x <= 0 {
				t.Errorf("%s: %s against %s is %v, rated %d higher", voter, left, right, v.Outcome, x)
			}
			cast[voter]++
			if v.Group == 0 {
				continue // the only vote of its ballot
			}
			pairs[v.Group]++
			for _, item := range []string{left, right} {
				key := [2]string{voter, item}
				if ballot[key] == 0 {
					ballot[key] = v.Group
					size[v.Group]++
				}
				if ballot[key] != v.Group {
					t.Errorf("%s's rating of %s is on two ballots", voter, item)
				}
			}
		}
		for voter, n := range cast {
			if n > 12*count[voter] || n < 5*count[voter] && count[voter] > 20 {
				t.Errorf("%s: %d votes of %d ratings", voter, n, count[voter])
			}
		}
		for g, n := range pairs {
			tied := 0
			for a, x := range grade {
				for b, y := range grade {
					if a[0] == b[0] && a[1] < b[1] && x == y && ballot[a] == g && ballot[b] == g {
						tied++
					}
				}
			}
			if n+tied != size[g]*(size[g]-1)/2 {
				t.Errorf("ballot %d: %d votes and %d pairs rated alike on %d items", g, n, tied, size[g])
			}
		}
		slices.Sort(all)
		return all
	}
	want := votes()
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	if got := votes(); !slices.Equal(got, want) {
		t.Error("another order of rows gives other votes")
	}
}
