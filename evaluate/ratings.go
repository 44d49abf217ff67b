package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/internal/trial"
	"palate/model"
)

// RatingResult is how methods did on ratings that they had not seen.
type RatingResult struct {
	Folds  int
	Cases  int // ratings predicted
	Pairs  int // of two held-out ratings of one person that differ
	Level  float64
	Scores []RatingScore // in the order of the methods
}

// RatingScore is how one method did. Errors are by person.
type RatingScore struct {
	Method    string
	Yardstick bool
	RMSE      Estimate // of the mean that is predicted, in units of the ratings
	LogLoss   Estimate // nats a rating; of numbers by their density
	// CrossEntropy is of which of two ratings of one person is the higher, in nats.
	CrossEntropy Estimate
}

// RatingYardsticks are what a model of ratings has to beat: how often each rating is given, and means of
// items and of people.
func RatingYardsticks(s model.Scale) []Method {
	return []Method{
		{"shares", true, func(_ context.Context, d *palate.Dataset, _ uint64) (Predictor, error) {
			return asPredictor(model.NewRatingMeans(d, s, false))
		}},
		{"means", true, func(_ context.Context, d *palate.Dataset, _ uint64) (Predictor, error) {
			return asPredictor(model.NewRatingMeans(d, s, true))
		}},
	}
}

// Ratings measures methods on the ratings among folds of d; votes between items are learnt from, and not predicted.
// All methods must predict ratings (model.Rater).
func Ratings(ctx context.Context, d *palate.Dataset, folds []Fold, methods []Method, o *Options) (*RatingResult, error) {
	opt := *cmp.Or(o, &Options{})
	opt.Level = cmp.Or(opt.Level, 0.95)
	r := &RatingResult{Folds: len(folds), Level: opt.Level}
	var each, both exam // ratings, and pairs of them
	type loss struct{ square, log, entropy []float64 }
	losses := make([]loss, len(methods))
	people := map[int]int{}
	person := func(user int) int {
		u, ok := people[user]
		if !ok {
			u = len(people)
			people[user] = u
		}
		return u
	}
	keys := trial.NewKeys(d, opt.Seed)
	place := make([]int, d.NumVotes())
	for at, k := range keys.Votes(d) {
		place[k] = at
	}
	for f, fold := range folds {
		cases, pairs := held(d, fold, place)
		for _, v := range cases {
			each.w, each.unit = append(each.w, v.Weight), append(each.unit, person(v.User))
		}
		for _, p := range pairs {
			both.w, both.unit = append(both.w, 1), append(both.unit, person(p[0].User))
		}
		for k, m := range methods {
			if opt.Progress != nil {
				opt.Progress(m.Name, f)
			}
			p, err := m.Fit(ctx, d.Select(fold.Train), opt.Seed)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, fmt.Errorf("evaluate: %s, fold %d: %w", m.Name, f+1, err)
			}
			rater, ok := p.(model.Rater)
			if !ok {
				return nil, fmt.Errorf("evaluate: %s predicts no ratings", m.Name)
			}
			said := loss{make([]float64, len(cases)), make([]float64, len(cases)), make([]float64, len(pairs))}
			num.Parallel(len(cases), 64, func(lo, hi int) {
				for j := lo; j < hi; j++ {
					v := cases[j]
					off := rater.Rating(v.User, v.Left).Mean - v.Rating
					said.square[j], said.log[j] = off*off, -rater.LogRating(v.User, v.Left, v.Rating)
				}
			})
			num.Parallel(len(pairs), 64, func(lo, hi int) {
				for j := lo; j < hi; j++ {
					a, b := pairs[j][0], pairs[j][1]
					chance := rater.Higher(a.User, a.Left, b.Left)
					if better(rater, b, a) {
						chance = 1 - chance
					}
					said.entropy[j] = -math.Log(chance)
				}
			})
			all := &losses[k]
			all.square, all.log, all.entropy = append(all.square, said.square...), append(all.log, said.log...), append(all.entropy, said.entropy...)
		}
		r.Cases += len(cases)
		r.Pairs += len(pairs)
	}
	if r.Cases == 0 {
		return nil, fmt.Errorf("evaluate: no ratings are held out")
	}
	each.units, both.units = len(people), len(people)
	for k, m := range methods {
		s := RatingScore{Method: m.Name, Yardstick: m.Yardstick, LogLoss: each.mean(losses[k].log, opt.Level), CrossEntropy: both.mean(losses[k].entropy, opt.Level)}
		mse := each.mean(losses[k].square, opt.Level)
		root := math.Sqrt(mse.Value)
		s.RMSE = Estimate{root, mse.SE / (2 * root), math.Sqrt(max(mse.Lo, 0)), math.Sqrt(mse.Hi)}
		r.Scores = append(r.Scores, s)
	}
	return r, nil
}

// held are the ratings of a fold that are predicted, by person in an order that hangs on what they say alone, and of
// every person's those that follow one another and differ, in pairs.
func held(d *palate.Dataset, fold Fold, place []int) (cases []palate.Vote, pairs [][2]palate.Vote) {
	of := make([][]int, d.NumUsers())
	for _, c := range fold.Test {
		if v := d.Vote(c.Vote); v.Outcome == palate.Rated && v.User >= 0 {
			of[v.User] = append(of[v.User], c.Vote)
		}
	}
	for _, own := range of {
		slices.SortFunc(own, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
		for k, at := range own {
			v := d.Vote(at)
			cases = append(cases, v)
			if k > 0 {
				if before := d.Vote(own[k-1]); before.Rating != v.Rating {
					pairs = append(pairs, [2]palate.Vote{before, v})
				}
			}
		}
	}
	return cases, pairs
}

// better reports whether a is for a better item than b.
func better(r model.Rater, a, b palate.Vote) bool {
	if r.LowerBetter() {
		return a.Rating < b.Rating
	}
	return a.Rating > b.Rating
}
