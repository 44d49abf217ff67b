package num

import (
	"context"
	"sync/atomic"

	"palate/internal/simd"
)

// Parallel splits 0…n into blocks of at most grain and calls f for each, on as
// many goroutines as there are processors; dense algebra inside f stays on its
// own goroutine. Which goroutine takes a block is left open, so f must write
// only to places that belong to its block; then the result does not depend on
// the number of processors.
func Parallel(n, grain int, f func(lo, hi int)) {
	if n <= grain {
		if n > 0 {
			f(0, n)
		}
		return
	}
	simd.Parallel((n+grain-1)/grain, func(b int) {
		lo := b * grain
		f(lo, min(lo+grain, n))
	})
}

// drawsAtOnce is how many draws are made between two looks at a context.
const drawsAtOnce = 128

// InTurn splits n draws into blocks and calls f for each, one after the other, until ctx ends;
// then it returns ctx's error.
func InTurn(ctx context.Context, n int, f func(lo, hi int)) error {
	for lo := 0; lo < n; lo += drawsAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		f(lo, min(lo+drawsAtOnce, n))
	}
	return ctx.Err()
}

// ParallelUntil does as Parallel does until ctx ends: then it leaves out the blocks
// that are not begun, and returns ctx's error.
func ParallelUntil(ctx context.Context, n, grain int, f func(lo, hi int)) error {
	var ended atomic.Bool
	Parallel(n, grain, func(lo, hi int) {
		switch {
		case ended.Load():
		case ctx.Err() != nil:
			ended.Store(true)
		default:
			f(lo, hi)
		}
	})
	return ctx.Err()
}
