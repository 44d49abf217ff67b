package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
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
	for table, err := range Guests().Run(context.Background(), StudyOptions{Folder: Folder(folder), Sets: []string{"jester"}, AllPairs: true, Seed: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		means, near, rated, ours, all := table.Rows[0], table.Rows[1], table.Rows[2], table.Rows[3], table.Rows[4]
		if d, se := ours.Minus(means, CE); !(d < -2*se) {
			t.Errorf("population less item means: %.4f (%.4f)", d, se)
		}
		if d, se := rated.Minus(means, CE); !(d < -2*se) {
			t.Errorf("ratings less item means: %.4f (%.4f)", d, se)
		}
		if d, se := near.Minus(means, CE); !(d < -2*se) {
			t.Errorf("neighbours less item means: %.4f (%.4f)", d, se)
		}
		if ours.Mean[CE] != all.Mean[CE] {
			t.Errorf("with a ballot each %v, with all pairs %v", ours.Mean[CE], all.Mean[CE])
		}
	}
	if err := Guests().Check(StudyOptions{Sets: []string{"nothing"}}); err == nil {
		t.Error("a set that is not there is taken")
	}
	for _, err := range Guests().Run(context.Background(), StudyOptions{Sets: []string{"jester"}}) {
		if err == nil || !strings.Contains(err.Error(), "PALATE_DATA") {
			t.Errorf("without data: %v", err)
		}
	}
}

// A factorisation tells two tastes apart, which means cannot do.
func TestFactorised(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	b := palate.NewBuilder()
	var held []palate.Vote
	for u := range 80 {
		for i := range 15 {
			b.User(fmt.Sprint(u))
			b.Item(fmt.Sprint(i))
			stars := 3 + float64(2*(u%2)-1)*float64(2*(i%2)-1) + float64(rng.IntN(3)-1)
			v := palate.Vote{User: u, Left: i, Right: i, Outcome: palate.Rated, Rating: stars, Weight: 1}
			if rng.IntN(10) == 0 {
				held = append(held, v)
			} else if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFactorised(t.Context(), d, 1)
	if err != nil {
		t.Fatal(err)
	}
	var log float64
	for _, v := range held {
		log -= f.LogRating(v.User, v.Left, v.Rating) / float64(len(held))
	}
	// The noise is one of three ratings with even chances.
	if rmse := math.Sqrt(f.squares(held)); f.rank == 0 || rmse > 0.95 || log > 1.35 {
		t.Errorf("rank %d, error %.3f, log loss %.3f", f.rank, rmse, log)
	}
	if p := f.Prefer(0, 0, 1); p < 0.8 {
		t.Errorf("an item to one's taste is preferred with %.3f", p)
	}
}
