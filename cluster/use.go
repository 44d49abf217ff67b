package cluster

import (
	"context"
	"fmt"

	"palate/model"
	"palate/population"
)

// settings are those of inference for one voter after a fit, as of a model file.
func (f *Fit) settings() population.Settings {
	return population.Settings{Tolerance: 1e-6, MaxSweeps: 500, Likelihood: population.Voting(f.learnt.Threshold)}
}

// open reads a shard with the sites of the fit.
func (f *Fit) open(ctx context.Context, k int) (*shard, *population.Engine, error) {
	x, err := openShard(ctx, f.deal.folder, k, len(f.deal.Shards), f.deal.Shards[k].Sum, true)
	if err != nil {
		return nil, nil, err
	}
	e, err := population.NewEngine(x.people, f.settings())
	if err != nil {
		return nil, nil, fmt.Errorf("shard %d: %w", k, err)
	}
	return x, e, readSites(ctx, f.folder, f.last.Evaluation, k, x.sum, e)
}

// model is that of some voters with their sites.
func (f *Fit) model(users []string, e *population.Engine) *model.Population {
	d := f.deal
	return model.NewPopulation(model.Elsewhere{
		Items: d.Items, Users: users, Votes: d.Votes, Ties: d.Ties, Groups: d.Groups, Digest: "deal:" + d.digest(), Seed: d.Seed, Learnt: f.learnt, Engine: e,
	})
}

// user is what DoFns that look at shards of a fit have in common.
type user struct {
	Deal  string
	Stamp string
	fit   *Fit
}

// Setup opens the fit.
func (f *user) Setup(ctx context.Context) error {
	if err := checkStamp(f.Stamp); err != nil {
		return err
	}
	d, err := readDeal(ctx, f.Deal)
	if err == nil {
		f.fit, err = OpenFit(ctx, d)
	}
	return failed("%w", err)
}

// voters opens a shard as a model of its voters.
func (f *user) voters(ctx context.Context, k int) (*model.Population, *shard, error) {
	x, e, err := f.fit.open(ctx, k)
	if err != nil {
		return nil, nil, err
	}
	return f.fit.model(x.users, e), x, nil
}
