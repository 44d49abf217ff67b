package main

import (
	"cmp"
	"context"
	"fmt"

	"palate"
	"palate/model"
)

// pupil is a model that learns one person's utilities answer by answer.
type pupil interface {
	model.Predictor
	Observe(palate.Vote) error
}

// tasteVotes is how many votes each of the others has cast when a new voter is
// asked.
const tasteVotes = 20

// newWorld draws the utilities that a policy is to find out, and returns how to
// start on them: from nothing, or as a new voter among others whose votes are known.
func newWorld(ctx context.Context, o model.SimulateOptions) (start func() (pupil, error), utility []float64, err error) {
	e, err := model.Find(o.Model)
	if err != nil {
		return nil, nil, err
	}
	if !e.Personal() {
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
	o.Users = cmp.Or(o.Users, 50)
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
	m, err := e.Fit(ctx, d.Select(others), nil)
	if err != nil {
		return nil, nil, err
	}
	door, ok := m.(model.Welcomer)
	if !ok {
		return nil, nil, fmt.Errorf("a %s model takes in nobody new without a fit", e.Name)
	}
	return func() (pupil, error) {
		t := &taste{door: door}
		return t, t.learn()
	}, truth.Personal.RawRowView(o.Users - 1), nil
}

// taste is that of a new voter among others.
type taste struct {
	model.Predictor
	door  model.Welcomer
	votes []palate.Vote
}

// Observe learns from one answer.
func (t *taste) Observe(v palate.Vote) error {
	t.votes = append(t.votes, v)
	return t.learn()
}

func (t *taste) learn() error {
	p, err := t.door.FoldIn(t.votes, nil)
	if err != nil {
		return err
	}
	t.Predictor = p.Alone()
	return nil
}
