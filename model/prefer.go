package model

import "context"

// PreferAll returns the probability that user picks left over right of each pair, as Prefer
// of the predictor does, and faster where the pairs have items in common. It fails only when
// ctx ends.
func PreferAll(ctx context.Context, p Predictor, user int, left, right []int) ([]float64, error) {
	chance := make([]float64, len(left))
	at := preferring(p)
	for lo := 0; lo < len(left) && ctx.Err() == nil; lo += preferGrain {
		hi := min(lo+preferGrain, len(left))
		at(chance[lo:hi], user, left[lo:hi], right[lo:hi])
	}
	return chance, ctx.Err()
}

// preferGrain is how many pairs are looked at before the context is, and preferChunk how many
// of them by one processor at a time.
const (
	preferGrain = 1 << 12
	preferChunk = 1 << 8
)

// preferring returns what sets dst to the probabilities that user picks left over right.
func preferring(p Predictor) func(dst []float64, user int, left, right []int) {
	if q, ok := p.(interface {
		preferTo(dst []float64, user int, left, right []int)
	}); ok {
		return q.preferTo
	}
	return func(dst []float64, user int, left, right []int) {
		for k := range dst {
			dst[k] = p.Prefer(user, left[k], right[k])
		}
	}
}
