package agree

import (
	"context"
	"math/rand/v2"

	"palate"
	"palate/model"
)

// folds of voters; the consensus that a voter is held against comes from the
// other nine tenths.
const folds = 10

// consensus returns, for each voter, the scores of the items by the votes of
// others.
func consensus(ctx context.Context, d *palate.Dataset, voters []voter, seed uint64) ([][]float64, error) {
	all, err := model.FitBradleyTerry(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	n := min(folds, len(voters))
	fold := make([]int, d.NumUsers())
	for k, i := range rand.New(rand.NewPCG(seed, 0xa9)).Perm(len(voters)) {
		fold[voters[i].user] = k % n
	}
	scores := make([][]float64, n)
	for f := range n {
		var others []int
		for k, v := range d.Votes() {
			if v.Outcome != palate.Skip && (v.User < 0 || fold[v.User] != f) {
				others = append(others, k)
			}
		}
		m, err := model.FitBradleyTerry(ctx, d.Select(others), &model.BradleyTerryOptions{Ridge: all.Ridge()})
		if err != nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i := range d.NumItems() {
			scores[f] = append(scores[f], m.Score(i))
		}
	}
	out := make([][]float64, len(voters))
	for k, v := range voters {
		out[k] = scores[fold[v.user]]
	}
	return out, nil
}
