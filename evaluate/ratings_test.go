package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/model"
)

// stars are ratings from one to five of items that differ, by people who rate high and low.
func stars(t *testing.T, seed uint64) *palate.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	b := palate.NewBuilder()
	good := make([]float64, 12)
	for i := range good {
		b.Item(fmt.Sprint("item ", i))
		good[i] = rng.NormFloat64()
	}
	for u := range 40 {
		b.User(fmt.Sprint("user ", u))
		high := 0.7 * rng.NormFloat64()
		for _, i := range rng.Perm(len(good))[:8] {
			y := math.Round(min(max(3+good[i]+high+0.7*rng.NormFloat64(), 1), 5))
			if err := b.Add(palate.Vote{User: u, Left: i, Right: i, Outcome: palate.Rated, Rating: y, Weight: 1}); err != nil {
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

// modelOfRatings is the kind of model that reads ratings.
func modelOfRatings(t *testing.T, s model.Scale) Method {
	t.Helper()
	e, err := model.Find("ratings")
	if err != nil {
		t.Fatal(err)
	}
	return Method{Name: e.Name, Fit: func(ctx context.Context, d *palate.Dataset, seed uint64) (Predictor, error) {
		return asPredictor(e.Fit(ctx, d, &model.Settings{Seed: seed, Scale: s}))
	}}
}

// Of ratings that were held out a model knows more than means do, and means more than nothing; turned round, and as
// numbers, too.
func TestRatingsArePredicted(t *testing.T) {
	d := stars(t, 1)
	folds, err := Split(d, &SplitOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	var first *RatingResult
	for _, s := range []model.Scale{{}, {LowerBetter: true}, {Numbers: true}} {
		r, err := Ratings(t.Context(), d, folds, append(RatingYardsticks(s), modelOfRatings(t, s)), nil)
		if err != nil {
			t.Fatal(err)
		}
		shares, means, m := r.Scores[0], r.Scores[1], r.Scores[2]
		if r.Cases != d.NumVotes() || r.Pairs < r.Cases/2 || math.Abs(shares.CrossEntropy.Value-math.Ln2) > 1e-9 {
			t.Errorf("%+v: %d cases of %d, %d pairs, a coin loses %g", s, r.Cases, d.NumVotes(), r.Pairs, shares.CrossEntropy.Value)
		}
		if !(m.LogLoss.Value < means.LogLoss.Value && means.LogLoss.Value < shares.LogLoss.Value && m.RMSE.Value < 1.02*means.RMSE.Value && means.RMSE.Value < shares.RMSE.Value && m.CrossEntropy.Value < means.CrossEntropy.Value+0.02) {
			t.Errorf("%+v: shares %+v, means %+v, model %+v", s, shares, means, m)
		}
		if first == nil {
			first = r
		}
		if a, b := first.Scores[2].CrossEntropy.Value, m.CrossEntropy.Value; math.Abs(a-b) > 0.03 {
			t.Errorf("%+v: pairs lose %g, and otherwise %g", s, b, a)
		}
	}
}

// Votes between two items are another thing to predict.
func TestRunRefusesRatings(t *testing.T) {
	d := stars(t, 3)
	folds, err := Split(d, &SplitOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), d, folds, Yardsticks(), nil); err == nil {
		t.Error("ratings are taken for votes")
	}
}
