package simd

import (
	"context"
	"fmt"
	"math"
	"runtime"
)

// Measurement is one workload on one core. The ratios are other time over own time, taken in turns in the same run; 0 means that
// there is nothing to compare with.
type Measurement struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"` // of processor time where the system tells
	GFlops  float64 `json:"gflops"`
	OfPeak  float64 `json:"of_peak"`
	VsGonum float64 `json:"vs_gonum"` // plain gonum; the math package or the form as it is written for what gonum has not
	VsTwin  float64 `json:"vs_twin"`
	VsDense float64 `json:"vs_dense,omitempty"` // the vectorised dense form
}

// Workloads are the names Bench knows.
func Workloads() []string {
	return []string{"gemm64", "gemm500", "gemm1000", "syrk500", "potrf100", "potrf200", "potrf1000", "trsm500", "exp", "probit", "matern18", "matern300", "sparse_kernel"}
}

// Peak is the rate of independent fused operations on one core in GFLOP/s, of scalar ones where there is no assembly.
func Peak() float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if fast {
		const rounds = 1 << 21
		return 96e-9 * rounds / quickest(8, func() { peakAVX2(rounds) })
	}
	const rounds = 1 << 18
	x := twelve()
	return 24e-9 * rounds / quickest(8, func() {
		for range rounds {
			for i := range x {
				x[i] = x[i]*0.999 + 0.001
			}
		}
	})
}

func twelve() (x [12]float64) {
	for i := range x {
		x[i] = 1 + float64(i)
	}
	return x
}

// quickest is the least time of several runs, in seconds.
func quickest(runs int, f func()) float64 {
	best := math.Inf(1)
	for range runs {
		start := clock()
		f()
		best = min(best, (clock() - start).Seconds())
	}
	return best
}

// Bench measures the named workloads with GOMAXPROCS(1) and reports each as it is done. While it runs, gonum's own routines are
// swapped in and out for the comparison, so nothing else should compute.
func Bench(ctx context.Context, names []string, report func(Measurement)) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	peak := Peak()
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		w, ok := workloadNamed(name)
		if !ok {
			return fmt.Errorf("simd: bench: no workload %q; there are %v", name, Workloads())
		}
		report(w.measure(name, peak))
	}
	return nil
}

// measure takes turns, so that whatever else the machine does falls on all alike, and keeps each one's best.
func (w workload) measure(name string, peak float64) Measurement {
	const turns, least = 12, 0.008
	own := func() { w.own(mode{serial: true}) }
	own()
	reps := 1
	if t := quickest(3, own); t < least {
		reps = int(least/max(t, 1e-7)) + 1
	}
	batch := func(f func(), n int) func() {
		return func() {
			for range n {
				f()
			}
		}
	}
	mine, plain, dense, twin, restore := math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1), 0.0
	if w.restore != nil {
		restore = quickest(turns, batch(w.restore, reps)) / float64(reps)
	}
	for t := range turns {
		mine = min(mine, quickest(1, batch(own, reps))/float64(reps))
		n := max(1, reps/4)
		if w.plain != nil && (t < 3 || mine < 0.01) {
			plain = min(plain, quickest(1, batch(w.plain, n))/float64(n)/w.plainPart)
		}
		if w.dense != nil && t < 2 {
			dense = min(dense, quickest(1, w.dense)/w.densPart)
		}
		if t < w.twinRuns {
			n := max(1, reps/16)
			twin = min(twin, quickest(1, batch(func() { w.own(mode{serial: true, portable: true}) }, n))/float64(n))
		}
	}
	mine -= restore
	ratio := func(other float64) float64 {
		if math.IsInf(other, 1) {
			return 0
		}
		return (other - restore) / mine
	}
	rate := w.flops / mine * 1e-9
	return Measurement{name, mine, rate, rate / peak, ratio(plain), ratio(twin), ratio(dense)}
}
