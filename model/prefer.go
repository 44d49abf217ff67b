package model

import (
	"context"

	"palate/gp"
)

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

// preferTo sets dst to what Prefer says of pairs. A pair that is there again, or was asked for
// before, is not gone through again: of few items many pairs are, and each goes through all of the
// grid.
func (m *Single) preferTo(dst []float64, user int, left, right []int) {
	kept := m.keptChances(user)
	rest := kept.read(dst, left, right)
	var rows gp.Rows
	first := map[[2]int]int{}
	place := make([]int, len(rest))
	for j, k := range rest {
		pair := [2]int{left[k], right[k]}
		at, ok := first[pair]
		if !ok {
			at = rows.Len()
			first[pair] = at
			rows.AppendPair(pair[0], pair[1])
		}
		place[j] = at
	}
	if len(rest) == 0 {
		return
	}
	chance := make([]float64, rows.Len())
	m.prefersTo(chance, user, &rows, 0, 0, false)
	for j, k := range rest {
		dst[k] = chance[place[j]]
	}
	kept.write(first, chance)
}
