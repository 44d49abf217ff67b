package model

import (
	"context"
	"math/rand/v2"

	"palate"
)

// averageVoter is somebody new to an average. Parts that take in nobody say of everybody
// the same.
type averageVoter struct {
	m *Average
	q mixture[Predictor] // that know only this voter
}

// FoldIn infers a new voter from a few votes, without refitting. features are the
// voter's, as wide as those of the fit; nil without.
func (m *Average) FoldIn(votes []palate.Vote, features []float64) (Newcomer, error) {
	v := &averageVoter{m: m}
	v.q.weight = m.weight
	for _, p := range m.parts {
		var one Predictor = p
		if w, ok := p.(Welcomer); ok {
			n, err := w.FoldIn(votes, features)
			if err != nil {
				return nil, err
			}
			one = n.Alone()
		}
		v.q.parts = append(v.q.parts, one)
	}
	return v, nil
}

// Prefer returns the probability that the voter picks left over right.
func (v *averageVoter) Prefer(left, right int) float64 { return v.q.Prefer(-1, left, right) }

// Utility returns mean and variance of the utility of an item to the voter.
func (v *averageVoter) Utility(item int) (mean, variance float64) { return v.q.Utility(-1, item) }

// Draws returns joint draws of the voter's utilities.
func (v *averageVoter) Draws(ctx context.Context, n int, rng *rand.Rand) (Draws, error) {
	return v.q.Draws(ctx, -1, n, rng)
}

// Alone returns a predictor that knows only this voter, whatever user it is asked about.
func (v *averageVoter) Alone() Predictor { return averageAlone{v.m, v} }

type averageAlone struct {
	*Average
	v *averageVoter
}

func (o averageAlone) Prefer(_, left, right int) float64 { return o.v.Prefer(left, right) }

func (o averageAlone) preferTo(dst []float64, _ int, left, right []int) {
	o.v.q.preferTo(dst, -1, left, right)
}

func (o averageAlone) Utility(_, item int) (mean, variance float64) { return o.v.Utility(item) }

func (o averageAlone) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return o.v.Draws(ctx, n, rng)
}
