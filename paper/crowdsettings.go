package paper

import (
	"context"
	"fmt"
	"math/rand/v2"

	"palate"
	"palate/crowd"
	"palate/infer"
	"palate/metric"
	"palate/model"
)

// crowdSettings shows what the training votes of a split say of the crowd model's own settings: the loss of votes held
// out from them in turn, against the rate of each Gamma prior, the others as they are by default. Nothing is tested on.
func crowdSettings(set string) func(context.Context, Task, *Split) ([]picture, error) {
	priors := []struct {
		name  string
		usual float64
		set   func(*crowd.Options, infer.Gamma)
	}{
		{"consensus", 100, func(o *crowd.Options, g infer.Gamma) { o.ConsensusScale = g }},
		{"factors", 10, func(o *crowd.Options, g infer.Gamma) { o.FactorScale = g }},
		{"own tastes", 100, func(o *crowd.Options, g infer.Gamma) { o.OwnScale = g }},
	}
	return func(ctx context.Context, t Task, s *Split) ([]picture, error) {
		c := &chart{name: "crowd-settings-" + set, title: "The crowd model's priors by training votes: Sushi-" + set, x: "rate of the Gamma prior", y: "cross-entropy of training votes held out, nats", logX: true}
		folds := foldVotes(s.Train, rand.New(rand.NewPCG(t.Seed, 5)))
		usual, err := heldOut(ctx, t, folds, model.CrowdOptions{})
		if err != nil {
			return nil, err
		}
		for _, p := range priors {
			k := c.curve(fmt.Sprintf("%s (default %g)", p.name, p.usual))
			for _, rate := range []float64{10, 100, 1000} {
				if rate == p.usual {
					k.add(rate, usual)
					continue
				}
				var o model.CrowdOptions
				p.set(&o.Crowd, infer.Gamma{Shape: 1, Rate: rate})
				loss, err := heldOut(ctx, t, folds, o)
				if err != nil {
					return nil, fmt.Errorf("%s, rate %g: %w", p.name, rate, err)
				}
				k.add(rate, loss)
			}
		}
		return []picture{c}, nil
	}
}

// foldVotes deals everybody's votes into three folds, at random.
func foldVotes(d *palate.Dataset, rng *rand.Rand) [3][]int {
	var folds [3][]int
	next := rng.Perm(d.NumUsers()) // so that no fold is that of all first votes
	for _, k := range rng.Perm(d.NumVotes()) {
		u := d.Vote(k).User
		folds[next[u]%len(folds)] = append(folds[next[u]%len(folds)], k)
		next[u]++
	}
	return folds
}

// heldOut returns the loss of each fold under a fit to the others.
func heldOut(ctx context.Context, t Task, folds [3][]int, o model.CrowdOptions) (float64, error) {
	var chance, won []float64
	for f, fold := range folds {
		var rest []int
		for g := range folds {
			if g != f {
				rest = append(rest, folds[g]...)
			}
		}
		p, err := fitCrowd(o)(ctx, Task{Data: t.Data, Train: t.Train.Select(rest), Seed: t.Seed})
		if err != nil {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for _, k := range fold {
			v := t.Train.Vote(k)
			chance = append(chance, p.Prefer(v.User, v.Left, v.Right))
			if v.Outcome == palate.Left {
				won = append(won, 1)
			} else {
				won = append(won, 0)
			}
		}
	}
	return metric.CrossEntropy(chance, won, nil), nil
}
