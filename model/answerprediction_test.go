package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A choice of two is a vote.
func TestChoiceOfTwoIsAVote(t *testing.T) {
	for _, m := range []Model{
		fit(t, electorate{items: 6, votes: 60, ties: true}.draw(t), nil),
		fit(t, electorate{items: 6, users: 8, votes: 15}.draw(t), nil),
		form{votes: electorate{items: 6, users: 8, votes: 15}, options: PopulationOptions{Rank: 2}}.fit(t),
		form{votes: electorate{items: 6, users: 30, votes: 5, answers: 2, ties: true}, options: PopulationOptions{Whole: true}}.fit(t),
	} {
		for user := -1; user < min(2, m.NumUsers()); user++ {
			f, err := PredictAnswers(t.Context(), m, user, []int{4, 1})
			if err != nil {
				t.Fatal(err)
			}
			p, err := f.Choice(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if want := m.Prefer(user, 4, 1); math.Abs(p[0]-want) > 0.003 {
				t.Errorf("%s, user %d: chance %.6f, of a vote %.6f", m.Name(), user, p[0], want)
			}
		}
	}
}

// Chances of choices, of best and worst and of rankings are those of draws.
func TestPredictAnswersIsOfDraws(t *testing.T) {
	m := fit(t, electorate{items: 7, answers: 25}.draw(t), &Options{Whole: true})
	items := []int{5, 2, 0, 3}
	f, err := PredictAnswers(t.Context(), m, -1, items)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := f.Choice(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	both, err := f.BestWorst(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := f.Ranking(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const n, times = 20_000, 5
	draws, err := m.Draws(t.Context(), -1, n, rng)
	if err != nil {
		t.Fatal(err)
	}
	var best [4]float64
	var ends [4][4]float64
	var inOrder, all float64
	rows, _ := draws.F.Dims()
	for r := range rows {
		for range times {
			var u [4]float64
			first, last, sorted := 0, 0, true
			for k, i := range items {
				u[k] = draws.F.At(r, i) + math.Sqrt(answerNoise)*rng.NormFloat64()
				if u[k] > u[first] {
					first = k
				}
				if u[k] < u[last] {
					last = k
				}
				sorted = sorted && (k == 0 || u[k-1] > u[k])
			}
			w := draws.Weight[r]
			all += w
			best[first] += w
			ends[first][last] += w
			inOrder += w * indicator(sorted)
		}
	}
	for i := range items {
		near(t, "choice", choice[i], best[i]/all, 0.01)
		for j := range items {
			near(t, "best and worst", both[i][j], ends[i][j]/all, 0.01)
		}
	}
	near(t, "ranking", ranking, inOrder/all, 0.01)
}

// Nothing is predicted of items that are not there, or there twice, nor by models of other
// noise.
func TestPredictAnswersRefuses(t *testing.T) {
	m := fit(t, electorate{items: 5, votes: 30}.draw(t), nil)
	for _, items := range [][]int{{1}, {1, 1}, {0, 9}} {
		if _, err := PredictAnswers(t.Context(), m, -1, items); err == nil {
			t.Errorf("items %v: no error", items)
		}
	}
	if _, err := PredictAnswers(t.Context(), fit(t, electorate{items: 5, votes: 30}.draw(t), &Options{Likelihood: Logit}), -1, []int{0, 1}); err == nil {
		t.Error("logit: no error")
	}
}
