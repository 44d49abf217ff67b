package worlds

import (
	"context"
	"fmt"
	"math/rand/v2"

	"palate/active"
	"palate/internal/num"
	"palate/model"
)

// adaptive worlds have plain utilities, and votes on pairs that active.Next asks by its
// defaults, ten after every fit.
func adaptive() (all []World) {
	for _, m := range []int{100, 300} {
		all = append(all, World{Set: "adaptive", Name: fmt.Sprintf("adaptive/m%d", m), About: fmt.Sprintf("20 items of sd 1, %d votes on pairs that next asks for, ten at a time", m), Clean: true, draw: func(ctx context.Context, rng *rand.Rand) (*Drawn, error) {
			return asked(ctx, m, rng)
		}})
	}
	return all
}

func asked(ctx context.Context, m int, rng *rand.Rand) (*Drawn, error) {
	const n, batch = 20, 10
	u := normal(n, 1, rng)
	var votes []vote
	for i := range n { // a ring connects all
		votes = append(votes, vote{-1, i, (i + 1) % n, answer(num.Phi(u[i]-u[(i+1)%n]), rng)})
	}
	for len(votes) < m {
		p, err := model.FitSingle(ctx, cast(n, 0, votes), nil)
		if err != nil {
			return nil, err
		}
		next, err := active.Next(ctx, p, -1, min(batch, m-len(votes)), nil, rng)
		if err != nil {
			return nil, err
		}
		for _, q := range next {
			votes = append(votes, vote{-1, q.Left, q.Right, answer(num.Phi(u[q.Left]-u[q.Right]), rng)})
		}
	}
	return &Drawn{Votes: cast(n, 0, votes), Target: u, Chance: probit(u)}, nil
}
