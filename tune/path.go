package tune

import "context"

// Step is what was held to be best after some duels.
type Step struct {
	Duels int
	Best  Point
}

// Path returns how the best point moved, at no more than n numbers of duels, the last of which
// is that of all. When ctx ends before it is done it returns the error of ctx.
func (s *Search) Path(ctx context.Context, n int) (path []Step, err error) {
	all := len(s.Log.Duels)
	if all == 0 {
		return nil, ctx.Err()
	}
	n = min(n, all)
	then := NewSearch(s.Space, &Log{Seed: s.Log.Seed, Values: s.Log.Values})
	then.Voter = s.Voter
	for k := range n {
		for until := (k + 1) * all / n; len(then.Log.Duels) < until; {
			then.Tell(s.Log.Duels[len(then.Log.Duels)])
		}
		best, err := then.Best(ctx)
		if err != nil {
			return nil, err
		}
		path = append(path, Step{len(then.Log.Duels), best})
	}
	return path, nil
}
