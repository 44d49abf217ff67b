package num

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel splits 0…n into blocks of at most grain and calls f for each, on as
// many goroutines as there are processors. Which goroutine takes a block is
// left open, so f must write only to places that belong to its block; then the
// result does not depend on the number of processors.
func Parallel(n, grain int, f func(lo, hi int)) {
	blocks := (n + grain - 1) / grain
	workers := min(runtime.GOMAXPROCS(0), blocks)
	if workers <= 1 {
		for lo := 0; lo < n; lo += grain {
			f(lo, min(lo+grain, n))
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				lo := (int(next.Add(1)) - 1) * grain
				if lo >= n {
					return
				}
				f(lo, min(lo+grain, n))
			}
		})
	}
	wg.Wait()
}
