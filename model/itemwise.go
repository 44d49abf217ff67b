package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/likelihood"
)

// Itemwise keeps an independent Gaussian for every item and learns vote by vote: a vote
// moves the two items that it names, in O(1), by the step of Linked with all covariances
// thrown away. It is what goes on from a fit of many items, whose covariance would not
// fit into memory, until the next fit.
type Itemwise struct {
	Base
	independent

	voting voting
	margin float64 // of ties where the threshold is 0
	taken  map[itemwiseVote][]itemwiseStep
}

// itemwiseVote is a vote that was observed.
type itemwiseVote struct {
	win, lose int
	l         likelihood.Scalar
}

// itemwiseStep is what a vote added to the precision of both items, and to precision
// times mean.
type itemwiseStep struct{ tau, nu [2]float64 }

// NewItemwise starts with utilities N(0, variance), in units of the noise of a vote, and
// a margin below which voters call a tie.
func NewItemwise(ids []string, variance, threshold float64) (*Itemwise, error) {
	n := len(ids)
	if n < 2 || !(variance > 0) || math.IsInf(variance, 1) || !(threshold >= 0) {
		return nil, fmt.Errorf("model: itemwise: %d items with variance %g, tie threshold %g", n, variance, threshold)
	}
	m := &Itemwise{Base: namedBase(ids), independent: independent{make([]float64, n), slices.Repeat([]float64{variance}, n)}, voting: voting{threshold: threshold}, taken: map[itemwiseVote][]itemwiseStep{}}
	return m, nil
}

// Itemwise returns the model as one that goes on learning vote by vote, each item by its
// own votes, from where the fit ended; the fit itself stays as it is. Where no votes
// tied, further ties have a margin of a fifth of the noise.
func (m *Single) Itemwise(ctx context.Context) (*Itemwise, error) {
	n := len(m.ids)
	b := m.Base
	b.votes = slices.Clone(m.votes)
	w := &Itemwise{Base: b, independent: independent{make([]float64, n), make([]float64, n)}, voting: m.voting, margin: newTies, taken: map[itemwiseVote][]itemwiseStep{}}
	return w, m.UtilitiesTo(ctx, w.mean, w.variance, -1)
}

// Observe learns from one vote; skips teach nothing.
func (m *Itemwise) Observe(v palate.Vote) error {
	win, lose, l, copies, err := voteRow(len(m.ids), m.voting, m.margin, v)
	if err != nil || v.Outcome == palate.Skip {
		return err
	}
	key := itemwiseVote{win, lose, l}
	for range copies {
		m.taken[key] = append(m.taken[key], m.step(win, lose, l))
	}
	m.votes[win] += v.Weight
	m.votes[lose] += v.Weight
	return nil
}

// step moves both items to the moments of the tilted difference.
func (m *Itemwise) step(i, j int, l likelihood.Scalar) (s itemwiseStep) {
	t := likelihood.Tilt(l, m.mean[i]-m.mean[j], m.variance[i]+m.variance[j])
	for k, at := range [2]int{i, j} {
		mean, v := m.mean[at], m.variance[at]
		slope := t.D1
		if k == 1 {
			slope = -slope
		}
		mean, v = mean+v*slope, v+v*v*t.D2
		s.tau[k], s.nu[k] = 1/v-1/m.variance[at], mean/v-m.mean[at]/m.variance[at]
		m.mean[at], m.variance[at] = mean, v
	}
	return s
}

// Forget takes back a vote that was observed. One that the fit was made from, which m
// continues, can not be told from the others any more.
func (m *Itemwise) Forget(v palate.Vote) error {
	win, lose, l, copies, err := voteRow(len(m.ids), m.voting, m.margin, v)
	if err != nil || v.Outcome == palate.Skip {
		return err
	}
	key := itemwiseVote{win, lose, l}
	for range copies {
		steps := m.taken[key]
		if len(steps) == 0 {
			return fmt.Errorf("model: itemwise: no such vote between items %d and %d to forget", v.Left, v.Right)
		}
		last := steps[len(steps)-1]
		for k, at := range [2]int{win, lose} {
			tau, nu := 1/m.variance[at]-last.tau[k], m.mean[at]/m.variance[at]-last.nu[k]
			m.mean[at], m.variance[at] = nu/tau, 1/tau
		}
		m.taken[key] = steps[:len(steps)-1]
	}
	m.votes[win] -= v.Weight
	m.votes[lose] -= v.Weight
	return nil
}

// Frozen returns the model as it is now, for predictions and boards while m learns on;
// it cannot learn.
func (m *Itemwise) Frozen() *Itemwise {
	f := *m
	f.votes, f.mean, f.variance, f.taken = slices.Clone(m.votes), slices.Clone(m.mean), slices.Clone(m.variance), nil
	return &f
}

// Prefer returns the probability that left beats right.
func (m *Itemwise) Prefer(_, left, right int) float64 {
	return m.voting.prefer(m.mean[left]-m.mean[right], m.variance[left]+m.variance[right])
}
