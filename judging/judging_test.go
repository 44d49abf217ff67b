package judging

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"palate"
	"palate/ingest"
	"palate/internal/num"
)

// The figures are those of testdata/reference.py, which follows the definitions with a
// general optimiser.
func TestReference(t *testing.T) {
	votes, err := os.Open("testdata/votes.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer votes.Close()
	b := palate.NewBuilder()
	if _, err := ingest.Votes(t.Context(), "votes.csv", votes, b, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Score, SE                         map[string]float64
		SD, RMSE, Separation, Reliability float64
		Items, Judges                     map[string][2]float64
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	j, err := Analyse(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) < 2e-6*max(1, math.Abs(want))) {
			t.Errorf("%s: %.8f, not %.8f", what, got, want)
		}
	}
	near("SD", j.SD, want.SD)
	near("RMSE", j.RMSE, want.RMSE)
	near("separation", j.Separation, want.Separation)
	near("reliability", j.Reliability, want.Reliability)
	for _, i := range j.Items {
		near("score of "+i.ID, i.Score, want.Score[i.ID])
		near("error of "+i.ID, i.SE, want.SE[i.ID])
		near("infit of "+i.ID, i.Infit, want.Items[i.ID][0])
		near("outfit of "+i.ID, i.Outfit, want.Items[i.ID][1])
	}
	for _, u := range j.Judges {
		near("infit of "+u.ID, u.Infit, want.Judges[u.ID][0])
		near("outfit of "+u.ID, u.Outfit, want.Judges[u.ID][1])
	}
	if len(j.Items) != len(want.Items) || len(j.Judges) != len(want.Judges) || j.Items[0].ID != "best" {
		t.Errorf("%d items and %d judges, %s first", len(j.Items), len(j.Judges), j.Items[0].ID)
	}
}

// judged draws votes of judges between random items of deviation 2, the last judge by coin.
func judged(t *testing.T, items, judges, each int, order func(int) []int) *palate.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	truth := make([]float64, items)
	for i := range truth {
		truth[i] = 2 * rng.NormFloat64()
	}
	type vote struct {
		user, left, right string
		outcome           palate.Outcome
	}
	var votes []vote
	for u := range judges {
		for range each {
			p := rng.Perm(items)[:2]
			chance := num.Sigmoid(truth[p[0]] - truth[p[1]])
			if u == judges-1 {
				chance = 0.5
			}
			o := palate.Right
			if rng.Float64() < chance {
				o = palate.Left
			}
			votes = append(votes, vote{"judge " + strconv.Itoa(u), strconv.Itoa(p[0]), strconv.Itoa(p[1]), o})
		}
	}
	b := palate.NewBuilder()
	for _, k := range order(len(votes)) {
		v := votes[k]
		if err := b.Say(v.user, v.left, v.right, v.outcome); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A judge by coin is flagged, halves agree about as far as the scale separates, and none of it
// hangs on the order of votes.
func TestJudges(t *testing.T) {
	j, err := Analyse(t.Context(), judged(t, 25, 12, 60, num.Indices), &Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range j.Judges {
		if u.Misfit != (u.ID == "judge 11") {
			t.Errorf("%s: infit %.2f of at most %.2f", u.ID, u.Infit, j.JudgeLimit)
		}
	}
	if !(j.Reliability > 0.85 && j.SplitHalf > 0.8 && j.SplitHalf < j.Reliability) || j.Splits != 20 {
		t.Errorf("SSR %.3f, halves %.3f of %d", j.Reliability, j.SplitHalf, j.Splits)
	}
	again, err := Analyse(t.Context(), judged(t, 25, 12, 60, rand.New(rand.NewPCG(1, 1)).Perm), &Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(again.SplitHalf-j.SplitHalf) > 1e-9 || math.Abs(again.Reliability-j.Reliability) > 1e-9 {
		t.Errorf("halves %v and %v, SSR %v and %v in another order", again.SplitHalf, j.SplitHalf, again.Reliability, j.Reliability)
	}
}

// Coins have no scale.
func TestCoins(t *testing.T) {
	b := palate.NewBuilder()
	rng := rand.New(rand.NewPCG(8, 8))
	for range 400 {
		p := rng.Perm(20)[:2]
		if err := b.Say("j"+strconv.Itoa(rng.IntN(6)), strconv.Itoa(p[0]), strconv.Itoa(p[1]), palate.Outcome(rng.IntN(2))); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	j, err := Analyse(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if j.Reliability > 0.4 || math.Abs(j.SplitHalf) > 0.3 {
		t.Errorf("SSR %.3f, halves %.3f", j.Reliability, j.SplitHalf)
	}
}

func TestFaults(t *testing.T) {
	b := palate.NewBuilder()
	if err := b.Say("ann", "x", "y", palate.Left); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Analyse(t.Context(), d, nil); err == nil {
		t.Error("two items are a scale")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Analyse(ctx, judged(t, 10, 3, 30, num.Indices), nil); err != context.Canceled {
		t.Errorf("%v", err)
	}
}
