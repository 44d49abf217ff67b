package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"palate"
	crowds "palate/crowd"
)

// crowdVoter is somebody new to a crowd.
type crowdVoter struct {
	m *Crowd
	l *crowds.Learnt
}

// FoldIn infers a new voter from a few votes, from features, or from both,
// without refitting; skips are left out. features are as wide as those of the
// fit; nil without.
func (m *Crowd) FoldIn(votes []palate.Vote, features []float64) (Newcomer, error) {
	var tallies []palate.Tally
	var answers []palate.Answer
	if m.fit.Ties > 0 && m.learnt.Threshold == 0 { // they are not learnt from
		votes = slices.DeleteFunc(slices.Clone(votes), func(v palate.Vote) bool { return v.Outcome == palate.Tie })
	}
	if m.answers {
		answers, votes = palate.AnswersOf(votes)
	}
	for k, v := range votes {
		t := palate.Tally{A: v.Left, B: v.Right, Weight: v.Weight}
		t.Weight = cmp.Or(t.Weight, 1)
		if !(t.Weight > 0) || math.IsInf(t.Weight, 1) {
			return nil, fmt.Errorf("model: fold in: vote %d: weight %v is not positive and finite", k, v.Weight)
		}
		switch v.Outcome {
		case palate.Right:
			t.A, t.B = v.Right, v.Left
		case palate.Tie:
			t.Tie = true
		case palate.Skip:
			continue
		}
		tallies = append(tallies, t)
	}
	if features != nil {
		if m.about == nil {
			return nil, fmt.Errorf("model: fold in: %d features, but the model was fitted without features of voters", len(features))
		}
		if want := len(m.about.centre); len(features) != want {
			return nil, fmt.Errorf("model: fold in: %d features, the model has %d", len(features), want)
		}
		if m.learnt.Factors() > 0 {
			features = m.about.encode(1, func(int) []float64 { return features }).RawRowView(0)
		} else {
			features = nil // nothing for them to tell
		}
	}
	l, err := m.learnt.FoldIn(tallies, answers, features)
	if err != nil {
		return nil, err
	}
	return &crowdVoter{m, l}, nil
}

// Prefer returns the probability that the voter picks left over right.
func (v *crowdVoter) Prefer(left, right int) float64 {
	return one(func(dst []float64) { prefersTo(dst, v.l, 0, []int{left}, []int{right}) })
}

// Utility returns mean and variance of the utility of an item to the voter.
func (v *crowdVoter) Utility(item int) (mean, variance float64) {
	return v.m.forms.utility(v.l, 0, item)
}

// Draws returns joint draws of the voter's utilities.
func (v *crowdVoter) Draws(ctx context.Context, n int, rng *rand.Rand) (Draws, error) {
	return evenDraws(v.l.Draws(ctx, 0, n, rng))
}

// Alone returns a predictor that knows only this voter, whatever user it is asked about.
func (v *crowdVoter) Alone() Predictor { return crowdAlone{v.m, v} }

type crowdAlone struct {
	*Crowd
	v *crowdVoter
}

func (l crowdAlone) Prefer(_, left, right int) float64 { return l.v.Prefer(left, right) }

func (l crowdAlone) preferTo(dst []float64, _ int, left, right []int) {
	prefersTo(dst, l.v.l, 0, left, right)
}

func (l crowdAlone) Utility(_, item int) (mean, variance float64) { return l.v.Utility(item) }

func (l crowdAlone) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return l.v.Draws(ctx, n, rng)
}
