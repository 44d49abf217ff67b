package model

import "context"

// PreferAll returns the probability that user picks left over right of each pair, as Prefer
// of the predictor does, and faster where the pairs have items in common. It fails only when
// ctx ends.
func PreferAll(ctx context.Context, p Predictor, user int, left, right []int) ([]float64, error) {
	chance := make([]float64, len(left))
	if q, ok := p.(interface {
		preferTo(dst []float64, user int, left, right []int)
	}); ok {
		q.preferTo(chance, user, left, right)
		return chance, ctx.Err()
	}
	for k := range chance {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		chance[k] = p.Prefer(user, left[k], right[k])
	}
	return chance, ctx.Err()
}
