package paper

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// People with one of two tastes are told apart by ten ratings, which the items' means cannot do; all pairs are no
// other votes where nobody has more ratings than a ballot takes.
func TestGuests(t *testing.T) {
	if testing.Short() {
		t.Skip("fits 600 people")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	text.WriteString("user,item,rating\n")
	for u := range ratingHosts + 30 {
		taste := float64(2*(u%2) - 1)
		for i := range 14 {
			fmt.Fprintf(&text, "u%d,j%d,%.1f\n", u, i, float64(i)/4+3*taste*float64(i%2)+rng.NormFloat64())
		}
	}
	folder := write(t, map[string]string{"jester/jester.csv": text.String()})
	for table, err := range RunGuests(context.Background(), GuestOptions{Folder: Folder(folder), Sets: []string{"jester"}, AllPairs: true, Seed: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		means, ours, rated, all := table.Rows[0], table.Rows[1], table.Rows[2], table.Rows[3]
		if d, se := ours.Minus(means, CE); !(d < -2*se) {
			t.Errorf("population less item means: %.4f (%.4f)", d, se)
		}
		if d, se := rated.Minus(means, CE); !(d < -2*se) {
			t.Errorf("ratings less item means: %.4f (%.4f)", d, se)
		}
		if ours.Mean[CE] != all.Mean[CE] {
			t.Errorf("with a ballot each %v, with all pairs %v", ours.Mean[CE], all.Mean[CE])
		}
	}
	if err := (GuestOptions{Sets: []string{"nothing"}}).Check(); err == nil {
		t.Error("a set that is not there is taken")
	}
	for _, err := range RunGuests(context.Background(), GuestOptions{Sets: []string{"jester"}}) {
		if err == nil || !strings.Contains(err.Error(), "PALATE_DATA") {
			t.Errorf("without data: %v", err)
		}
	}
}
