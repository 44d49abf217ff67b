package model

import (
	"math"
	"strings"
	"testing"

	"palate"
)

// somebody rates items of a dataset that is being built.
func somebody(t *testing.T, b *palate.Builder, name string, ratings ...float64) {
	t.Helper()
	u := b.User(name)
	for i, r := range ratings {
		if err := b.Add(palate.Vote{User: u, Left: i, Right: i, Outcome: palate.Rated, Rating: r, Weight: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

// Who gives one value to everything teaches nothing, and is counted.
func TestRatedCountsConstantPeople(t *testing.T) {
	build := func(same bool) *palate.Dataset {
		b := palate.NewBuilder()
		for _, id := range []string{"a", "b", "c"} {
			b.Item(id)
		}
		for _, r := range [][]float64{{5, 3, 1}, {4, 4, 2}, {3, 2, 1}, {5, 4, 3}, {4, 2, 3}} {
			somebody(t, b, strings.Repeat("x", b.NumUsers()+1), r...)
		}
		b.User("flat")
		if same {
			somebody(t, b, "flat", 4, 4, 4)
		}
		return built(t, b)
	}
	with, err := FitRated(t.Context(), build(true), nil)
	if err != nil {
		t.Fatal(err)
	}
	without, err := FitRated(t.Context(), build(false), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		a, va := with.Utility(-1, i)
		b, vb := without.Utility(-1, i)
		if a != b || va != vb {
			t.Errorf("item %d: %g ± %g with somebody of one value, %g ± %g without", i, a, va, b, vb)
		}
	}
	if r := with.Remarks(); len(r) != 1 || !strings.Contains(r[0], "1 of 6 people") || without.Remarks() != nil {
		t.Errorf("remarks %v, and %v", r, without.Remarks())
	}
}

// What is predicted of ratings is a distribution, with the mean and the deviation that it has, of
// known people and of new ones; and a new person's ratings count as inside the fit.
func TestRatedPredicts(t *testing.T) {
	m, err := FitRated(t.Context(), electorate{items: 6, users: 30, rated: 6}.draw(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(f RatingPrediction, lp func(rating float64) float64) {
		t.Helper()
		var sum, mean, square float64
		for k, c := range f.Chances {
			sum, mean, square = sum+c, mean+c*f.Values[k], square+c*f.Values[k]*f.Values[k]
			if got := math.Exp(lp(f.Values[k])); math.Abs(got-c) > 1e-9 {
				t.Errorf("%v has %g, and by itself %g", f.Values[k], c, got)
			}
		}
		if math.Abs(sum-1) > 1e-9 || math.Abs(mean-f.Mean) > 1e-9 || math.Abs(math.Sqrt(square-mean*mean)-f.SD) > 1e-9 || len(f.Values) != 5 {
			t.Errorf("%+v sums to %g, with mean %g", f, sum, mean)
		}
	}
	check(m.Rating(3, 2), func(r float64) float64 { return m.LogRating(3, 2, r) })
	check(m.Rating(-1, 2), func(r float64) float64 { return m.LogRating(-1, 2, r) })
	high, err := m.FoldIn([]palate.Vote{{Left: 0, Right: 0, Outcome: palate.Rated, Rating: 5}, {Left: 1, Right: 1, Outcome: palate.Rated, Rating: 5}, {Left: 2, Right: 3}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	alone := high.Alone().(Rater)
	check(alone.Rating(0, 4), func(r float64) float64 { return alone.LogRating(0, 4, r) })
	if a, b := alone.Rating(0, 4).Mean, m.Rating(-1, 4).Mean; a <= b {
		t.Errorf("who rates high gives %g, anybody %g", a, b)
	}
	if _, err := m.FoldIn([]palate.Vote{{Left: 0, Right: 1, Outcome: palate.Rated, Rating: 5}}, nil); err == nil {
		t.Error("a rating of two items is taken")
	}
}

// Which of two ratings is the better is asked of both sides alike, of scales on which low ratings are
// good as of others, of known people, new ones and means; nothing but shares tells nothing.
func TestHigherRatings(t *testing.T) {
	d := electorate{items: 6, users: 30, rated: 6}.draw(t)
	m, err := FitRated(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	turned, err := FitRated(t.Context(), d, &RatedOptions{Scale: Scale{LowerBetter: true}})
	if err != nil {
		t.Fatal(err)
	}
	means, err := NewRatingMeans(d, Scale{}, true)
	if err != nil {
		t.Fatal(err)
	}
	shares, err := NewRatingMeans(d, Scale{}, false)
	if err != nil {
		t.Fatal(err)
	}
	somebody, err := m.FoldIn([]palate.Vote{{Left: 0, Right: 0, Outcome: palate.Rated, Rating: 5}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]Rater{"ratings": m, "turned": turned, "means": means, "somebody new": somebody.Alone().(Rater)} {
		best, worst := 0, 0
		for i := range 6 {
			if r.Rating(3, i).Mean > r.Rating(3, best).Mean {
				best = i
			}
			if r.Rating(3, i).Mean < r.Rating(3, worst).Mean {
				worst = i
			}
		}
		if r.LowerBetter() {
			best, worst = worst, best
		}
		up, down := r.Higher(3, best, worst), r.Higher(3, worst, best)
		if math.Abs(up+down-1) > 1e-12 || up < 0.6 {
			t.Errorf("%s: the best is rated higher with %g, the worst with %g", name, up, down)
		}
	}
	if p := shares.Higher(3, 0, 5); math.Abs(p-0.5) > 1e-12 {
		t.Errorf("shares: %g", p)
	}
}
