package paper

import (
	"context"
	"errors"
	"fmt"

	"palate"
	"palate/internal/num"
	"palate/model"
)

// singles are the two ways in which CROWD uses the model of a single voter.
func singles() []Method {
	return []Method{
		{Name: "pooled-GPPL", Aliases: []string{"single"}, About: "one utility for all voters, as if one person had cast all votes", Fit: fitPooled},
		{Name: "GPPL-per-voter", About: "a utility for each voter, from that voter's votes alone", Fit: fitPerVoter},
	}
}

func fitPooled(ctx context.Context, train *palate.Dataset, seed uint64) (Predictor, error) {
	m, err := model.FitSingle(ctx, train, &model.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// perVoter holds a model for each voter, nil for those without votes.
type perVoter struct{ voters []*model.Single }

func fitPerVoter(ctx context.Context, train *palate.Dataset, seed uint64) (Predictor, error) {
	votes := make([][]int, train.NumUsers())
	for k, v := range train.Votes() {
		if v.User >= 0 {
			votes[v.User] = append(votes[v.User], k)
		}
	}
	m := &perVoter{make([]*model.Single, len(votes))}
	failed := make([]error, len(votes))
	num.Parallel(len(votes), 1, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			if len(votes[u]) == 0 || ctx.Err() != nil {
				continue
			}
			var err error
			if m.voters[u], err = model.FitSingle(ctx, train.Select(votes[u]), &model.Options{Seed: seed}); err != nil {
				failed[u] = fmt.Errorf("voter %s: %w", train.UserID(u), err)
			}
		}
	})
	return m, errors.Join(append(failed, ctx.Err())...)
}

func (m *perVoter) Prefer(user, left, right int) float64 {
	if m.voters[user] == nil {
		return 0.5
	}
	return m.voters[user].Prefer(user, left, right)
}

func (m *perVoter) Utility(user, item int) (mean, variance float64) {
	if m.voters[user] == nil {
		return 0, 1
	}
	return m.voters[user].Utility(user, item)
}
