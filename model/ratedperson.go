package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"palate"
	"palate/rating"
)

// RatingPrediction is what somebody would rate an item.
type RatingPrediction struct {
	Mean, SD float64
	Values   []float64 // of the classes, from the worst on; none of numbers
	Chances  []float64 // of each
}

// Rater predicts ratings.
type Rater interface {
	// Rating returns what a user would rate an item; for a negative user, somebody nothing is
	// known of.
	Rating(user, item int) RatingPrediction
	// LogRating returns the log probability that a user rates an item so; of numbers, the log
	// density.
	LogRating(user, item int, rating float64) float64
	// Higher returns the probability that a user rates left better than right, where the two
	// ratings differ. A vote has no equal ratings to be apart from: see Predictor.Prefer.
	Higher(user, left, right int) float64
	// LowerBetter reports whether low ratings are for what is good.
	LowerBetter() bool
}

var (
	_ Rater = (*Rated)(nil)
	_ Rater = (*RatingMeans)(nil)
)

// Rating returns what a user would rate an item.
func (m *Rated) Rating(user, item int) RatingPrediction {
	return predictRating(m.fit, m.person(user), item)
}

func predictRating(f *rating.Fit, p *rating.Person, item int) RatingPrediction {
	out := RatingPrediction{Values: f.Scale.Values, Chances: p.Chances(item)}
	out.Mean, out.SD = p.Expect(item)
	return out
}

// LogRating returns the log probability of a rating.
func (m *Rated) LogRating(user, item int, rating float64) float64 {
	return m.person(user).LogProb(item, rating)
}

// Higher returns the probability that a user rates left better than right, where they differ.
func (m *Rated) Higher(user, left, right int) float64 { return m.person(user).Higher(left, right) }

// LowerBetter reports whether low ratings are for what is good.
func (m *Rated) LowerBetter() bool { return m.fit.Scale.Reversed }

// rater is somebody new.
type rater struct {
	m *Rated
	p *rating.Person
}

// FoldIn infers somebody new from a few ratings or votes, without refitting.
func (m *Rated) FoldIn(votes []palate.Vote, features []float64) (Newcomer, error) {
	if features != nil {
		return nil, fmt.Errorf("model: fold in: ratings know no features of people")
	}
	var rows []rating.Row
	for k, v := range votes {
		v.Weight = cmp.Or(v.Weight, 1)
		n := len(m.ids)
		switch {
		case uint(v.Left) >= uint(n) || uint(v.Right) >= uint(n) || (v.Left == v.Right) != (v.Outcome == palate.Rated):
			return nil, fmt.Errorf("model: fold in: vote %d: items %d and %d of %d", k, v.Left, v.Right, n)
		case !(v.Weight > 0) || math.IsInf(v.Weight, 1):
			return nil, fmt.Errorf("model: fold in: vote %d: weight %v is not positive and finite", k, v.Weight)
		case v.Outcome == palate.Tie && m.fit.Margin == 0:
			return nil, fmt.Errorf("model: fold in: vote %d is a tie, but the model has seen none", k)
		case v.Outcome != palate.Skip:
			rows = append(rows, rowOf(v))
		}
	}
	p, err := m.fit.FoldIn(rows)
	if err != nil {
		return nil, err
	}
	return &rater{m, p}, nil
}

// Prefer returns the probability that the person picks left over right.
func (r *rater) Prefer(left, right int) float64 { return r.p.Prefer(left, right) }

// Higher returns the probability that the person rates left better than right, where they differ.
func (r *rater) Higher(left, right int) float64 { return r.p.Higher(left, right) }

// Utility returns mean and variance of the utility of an item to the person.
func (r *rater) Utility(item int) (mean, variance float64) {
	mean, variance = r.p.Utility(item)
	return r.m.unit() * mean, r.m.unit() * r.m.unit() * variance
}

// Rating returns what the person would rate an item.
func (r *rater) Rating(item int) RatingPrediction { return predictRating(r.m.fit, r.p, item) }

// Draws returns joint draws of the person's utilities.
func (r *rater) Draws(ctx context.Context, n int, rng *rand.Rand) (Draws, error) {
	return personDraws(ctx, r.p, r.m.unit(), len(r.m.ids), n, rng)
}

// Alone returns a predictor that knows only this person.
func (r *rater) Alone() Predictor { return raterAlone{r.m, r} }

type raterAlone struct {
	*Rated
	r *rater
}

func (a raterAlone) Prefer(_, left, right int) float64 { return a.r.Prefer(left, right) }

func (a raterAlone) Utility(_, item int) (mean, variance float64) { return a.r.Utility(item) }

func (a raterAlone) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return a.r.Draws(ctx, n, rng)
}

func (a raterAlone) Higher(_, left, right int) float64 { return a.r.Higher(left, right) }

func (a raterAlone) Rating(_, item int) RatingPrediction { return a.r.Rating(item) }

func (a raterAlone) LogRating(_, item int, rating float64) float64 {
	return a.r.p.LogProb(item, rating)
}
