package paper

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
	"palate/model"
)

// singles are the two ways in which CROWD uses the model of a single voter.
func singles() []Method {
	return []Method{
		{Name: "pooled-GPPL", Aliases: []string{"single"}, About: "one utility for all voters, as if one person had cast all votes", Fit: fitPooled},
		{Name: "GPPL-per-voter", Lacks: Consensus, About: "a utility for each voter, from that voter's votes alone", Fit: fitPerVoter},
	}
}

// fitPooled takes inducing points from a thousand items on: with all items of MovieLens 100K an evaluation of the evidence
// takes half a minute.
func fitPooled(ctx context.Context, t Task) (Predictor, error) {
	m, err := model.FitSingle(ctx, t.Train, &model.Options{Seed: t.Seed, DenseLimit: 1000, Pooled: true})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// perVoter holds a model for each voter, nil for those without votes.
type perVoter []*voter

// voter knows the items of the votes first, and the others by their features.
type voter struct {
	single model.Model
	at     []int // where the model has each item
}

func fitPerVoter(ctx context.Context, t Task) (Predictor, error) {
	votes := make([][]palate.Vote, t.Train.NumUsers())
	for _, v := range t.Train.Votes() {
		if v.User >= 0 {
			votes[v.User] = append(votes[v.User], v)
		}
	}
	o := &model.Options{Seed: t.Seed}
	if f := t.Train.ItemFeatures(); f != nil {
		o.Kernel = halfKernel(f)
	}
	m := make(perVoter, len(votes))
	failed := make([]error, len(votes))
	num.Parallel(len(votes), 1, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			if len(votes[u]) == 0 || ctx.Err() != nil {
				continue
			}
			var err error
			if m[u], err = fitVoter(ctx, t.Train, votes[u], o); err != nil {
				failed[u] = fmt.Errorf("voter %s: %w", t.Train.UserID(u), err)
			}
		}
	})
	return m, errors.Join(append(failed, ctx.Err())...)
}

// halfKernel is what voters have in common: a Matérn 3/2 kernel at median length-scales over all items and a nugget,
// half the variance each. A handful of votes can tell the scale, not more.
func halfKernel(f *palate.Features) kernel.Kernel {
	x := kernel.Dense(mat.NewDense(f.Rows, f.Cols, f.Data))
	lengths := kernel.MedianHeuristic(x, kernel.MedianOptions{Rows: f.Rows}, nil)
	return kernel.Sum(kernel.Scale(0.5, kernel.NewStationary(kernel.Matern32, kernel.Euclidean, lengths)), kernel.Scale(0.5, kernel.Identity{}))
}

// fitVoter fits the items that the voter has compared and extends the model to the others.
func fitVoter(ctx context.Context, all *palate.Dataset, votes []palate.Vote, o *model.Options) (*voter, error) {
	b := palate.NewBuilder()
	v := &voter{at: make([]int, all.NumItems())}
	compared := make([]bool, all.NumItems())
	for _, vote := range votes {
		compared[vote.Left], compared[vote.Right] = true, true
	}
	var own, others []int
	var names []string
	for i, c := range compared {
		if c {
			own = append(own, i)
			v.at[i] = b.Item(all.ItemID(i))
		} else {
			others = append(others, i)
			names = append(names, all.ItemID(i))
		}
	}
	if all.ItemFeatures() == nil {
		for k, name := range names {
			v.at[others[k]] = b.Item(name)
		}
		others = nil
	}
	b.SetItemFeatures(subset(all.ItemFeatures(), own))
	for _, vote := range votes {
		vote.User, vote.Left, vote.Right = -1, v.at[vote.Left], v.at[vote.Right]
		if err := b.Add(vote); err != nil {
			return nil, err
		}
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	if v.single, err = model.FitSingle(ctx, d, o); err != nil || len(others) == 0 {
		return v, err
	}
	for k, i := range others {
		v.at[i] = len(own) + k
	}
	f := subset(all.ItemFeatures(), others)
	v.single, err = v.single.Extend(names, mat.NewDense(f.Rows, f.Cols, f.Data))
	return v, err
}

func (m perVoter) Prefer(user, left, right int) float64 {
	v := m[user]
	if v == nil {
		return 0.5
	}
	return v.single.Prefer(-1, v.at[left], v.at[right])
}

func (m perVoter) Utility(user, item int) (mean, variance float64) {
	v := m[user]
	if v == nil {
		return 0, 1
	}
	return v.single.Utility(-1, v.at[item])
}
