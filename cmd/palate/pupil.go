package main

import (
	"context"

	"palate"
	"palate/model"
)

// pupil is a model that learns one person's utilities answer by answer.
type pupil interface {
	model.Predictor
	Observe(palate.Vote) error
}

// tasteVotes is how many votes each of the others has cast when a new voter of
// a population is asked.
const tasteVotes = 20

// newWorld draws the utilities that a policy is to find out, and returns how to
// start on them: from nothing, or as a new voter of a population that is known by
// the votes of the others.
func newWorld(ctx context.Context, o model.SimulateOptions) (start func() (pupil, error), utility []float64, err error) {
	if o.Model != "population" {
		o.Votes = 1 // the votes are asked for, not drawn
		d, truth, err := model.Simulate(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		return func() (pupil, error) {
			k, x := model.DefaultKernel(d.NumItems(), d.ItemFeatures())
			return model.NewLinked(make([]string, d.NumItems()), k, x, nil)
		}, truth.Consensus, nil
	}
	if o.Users == 0 {
		o.Users = 50
	}
	o.Users++ // the last one is new
	o.Votes = tasteVotes * o.Users
	d, truth, err := model.Simulate(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	var others []int
	for k, v := range d.Votes() {
		if v.User < o.Users-1 {
			others = append(others, k)
		}
	}
	m, err := model.FitPopulation(ctx, d.Select(others), nil)
	if err != nil {
		return nil, nil, err
	}
	return func() (pupil, error) {
		t := &taste{population: m}
		return t, t.learn()
	}, truth.Personal.RawRowView(o.Users - 1), nil
}

// taste is that of a new voter of a population.
type taste struct {
	model.Predictor
	population *model.Population
	votes      []palate.Vote
}

// Observe learns from one answer.
func (t *taste) Observe(v palate.Vote) error {
	t.votes = append(t.votes, v)
	return t.learn()
}

func (t *taste) learn() error {
	p, err := t.population.FoldIn(t.votes, nil)
	if err != nil {
		return err
	}
	t.Predictor = p.Alone()
	return nil
}
