package kernel

import "palate/internal/num"

const (
	// maxBlocks bounds the partial gradients held at once. Block limits depend on
	// the number of rows only, so sums have the same bits whatever GOMAXPROCS.
	maxBlocks = 64
	// minWork is how many feature differences are worth a goroutine.
	minWork = 1 << 16
)

// blocks returns how many row blocks n rows are cut into.
func blocks(n int) int { return min(maxBlocks, (n+7)/8) }

// block returns the rows of block b.
func block(n, b int) (lo, hi int) {
	k := blocks(n)
	return b * n / k, (b + 1) * n / k
}

// eachBlock calls f for every row block, on several goroutines when there is
// enough work. newWorker makes the buffers that one goroutine uses.
func eachBlock[W any](n, work int, newWorker func() W, f func(w W, b, lo, hi int)) {
	k := blocks(n)
	grain := 1
	if work < minWork {
		grain = max(1, k)
	}
	num.Parallel(k, grain, func(first, end int) {
		w := newWorker()
		for b := first; b < end; b++ {
			lo, hi := block(n, b)
			f(w, b, lo, hi)
		}
	})
}
