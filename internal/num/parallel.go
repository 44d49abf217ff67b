package num

import "palate/internal/simd"

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
