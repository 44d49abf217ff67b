package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"palate"
	"palate/likelihood"
	"palate/population"
)

// person is somebody new to a population.
type person struct {
	m *Population
	q population.Blend
}

// FoldIn infers a new person from a few votes, without refitting: one E-step,
// O(m³) in the number of that person's items. features are the person's, as
// wide as those of the fit; nil without. Votes of one group are an answer about several items
// where the model was fitted to such.
func (m *Population) FoldIn(votes []palate.Vote, features []float64) (Newcomer, error) {
	votes, err := m.checked(votes)
	if err != nil {
		return nil, err
	}
	var answers []palate.Answer
	if m.family.People().Answers() {
		if said, rest := palate.AnswersOf(votes); population.TakesAnswers(said) {
			answers, votes = said, rest
		}
	}
	tally := map[palate.Tally]float64{}
	var order []palate.Tally
	for _, v := range votes {
		t := palate.Tally{A: v.Left, B: v.Right}
		if m.family.Leans != nil && !v.Unsided {
			t.Side = 1
		}
		switch v.Outcome {
		case palate.Right:
			t.A, t.B, t.Side = v.Right, v.Left, -t.Side
		case palate.Tie:
			if t.Tie = true; v.Left > v.Right {
				t.A, t.B, t.Side = v.Right, v.Left, -t.Side
			}
		}
		if _, ok := tally[t]; !ok {
			order = append(order, t)
		}
		tally[t] += v.Weight
	}
	for k := range order {
		w := tally[order[k]]
		order[k].Weight = w
	}
	if features != nil {
		if len(features) != len(m.centre) {
			return nil, fmt.Errorf("model: fold in: %d features, the model has %d", len(features), len(m.centre))
		}
		features = standardised(features, m.centre, m.width)
	}
	q, err := m.family.FoldIn(order, features, m.settings, answers...)
	if err != nil {
		return nil, err
	}
	return &person{m, q}, nil
}

// checked returns the votes of somebody new that are learnt from, all with a weight and of one user.
func (m *Population) checked(votes []palate.Vote) (out []palate.Vote, err error) {
	for k, v := range votes {
		if uint(v.Left) >= uint(len(m.ids)) || uint(v.Right) >= uint(len(m.ids)) || v.Left == v.Right {
			return nil, fmt.Errorf("model: fold in: vote %d: items %d and %d of %d", k, v.Left, v.Right, len(m.ids))
		}
		v.Weight = cmp.Or(v.Weight, 1)
		if !(v.Weight > 0) || math.IsInf(v.Weight, 1) {
			return nil, fmt.Errorf("model: fold in: vote %d: weight %v is not positive and finite", k, v.Weight)
		}
		switch {
		case v.Outcome == palate.Skip, v.Outcome == palate.Tie && m.ties > 0 && m.fit.Threshold == 0: // ties were not learnt from
			continue
		case v.Outcome == palate.Tie && m.fit.Threshold == 0:
			return nil, fmt.Errorf("model: fold in: vote %d is a tie, but the model has seen none", k)
		}
		v.User = 0
		out = append(out, v)
	}
	return out, nil
}

// settings are those of inference for one person under a member of the family.
func (m *Population) settings(of *population.Member) population.Settings {
	s := population.Settings{Tolerance: 1e-6, MaxSweeps: 500}
	s.Likelihood = population.Voting(of.Threshold)
	if l := m.family.Leans; l != nil {
		s.Lean = l.Centre
	}
	if m.collab != "" {
		s.Rule = m.rule
		s.Likelihood = func(k population.Observation) likelihood.Scalar { return likelihood.Raised(of.Win, k.Power) }
	}
	return s
}

// Prefer returns the probability that the person picks left over right.
func (p *person) Prefer(left, right int) float64 {
	return p.q.Prefer(left, right)
}

// Utility returns mean and variance of the utility of an item to the person.
func (p *person) Utility(item int) (mean, variance float64) { return p.q.Utility(item) }

// Draws returns joint draws of the person's utilities, weighted as those of
// Population.Draws.
func (p *person) Draws(ctx context.Context, n int, rng *rand.Rand) (Draws, error) {
	return mended(p.q.Draws(ctx, n, rng))
}

// Alone returns a predictor, Joint too, that knows only this person: whatever
// user it is asked about.
func (p *person) Alone() Predictor { return personAlone{p.m, p} }

type personAlone struct {
	*Population
	p *person
}

func (a personAlone) Prefer(_, left, right int) float64 { return a.p.Prefer(left, right) }

func (a personAlone) Utility(_, item int) (mean, variance float64) { return a.p.Utility(item) }

func (a personAlone) preferTo(dst []float64, _ int, left, right []int) {
	a.p.q.PreferTo(dst, left, right)
}

func (a personAlone) meansTo(dst []float64, _ int) { a.p.q.MeansTo(dst) }

func (a personAlone) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return a.p.Draws(ctx, n, rng)
}

func (a personAlone) UtilitiesTo(ctx context.Context, mean, variance []float64, _ int) error {
	for i := range mean {
		mean[i], variance[i] = a.p.Utility(i)
	}
	return ctx.Err()
}

func (a personAlone) CovarianceTo(dst []float64, _, item int, others []int) {
	a.p.q.CovTo(dst, item, others)
}
