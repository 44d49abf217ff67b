package simd

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// outer counts the calls of Parallel under way; while there are any, routines inside stay on their own goroutine.
var outer atomic.Int32

// Parallel runs f(0) … f(n−1), each once, on up to GOMAXPROCS goroutines (on this one when
// another call is under way), and keeps the routines of this package that f calls on
// one goroutine each. Which goroutine takes which index is not fixed: write results by index and add them up afterwards in order.
func Parallel(n int, f func(i int)) {
	w := 1
	if outer.Add(1) == 1 {
		w = runtime.GOMAXPROCS(0)
	}
	defer outer.Add(-1)
	spread(n, w, f)
}

// workers is how many goroutines a call that can be cut up may use.
func (m mode) workers() int {
	if m.serial || outer.Load() > 0 {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// spread runs f(0) … f(n−1) on up to w goroutines, this one among them. A panic of any of them is
// one of this one, so that whoever calls can recover from it.
func spread(n, w int, f func(i int)) {
	w = min(w, n)
	if w <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var panicked atomic.Pointer[string]
	run := func() {
		defer func() {
			if p := recover(); p != nil {
				says := fmt.Sprintf("%v\n\n%s", p, debug.Stack())
				panicked.CompareAndSwap(nil, &says)
				next.Store(int64(n)) // the others need not go on
			}
		}()
		for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
			f(int(i))
		}
	}
	var wg sync.WaitGroup
	for range w - 1 {
		wg.Go(run)
	}
	run()
	wg.Wait()
	if says := panicked.Load(); says != nil {
		panic(*says)
	}
}
