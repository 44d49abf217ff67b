package bench

import (
	"math"
	"palate/internal/simd"
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

// routines are the names of the workloads of package simd.
func routines() []string {
	return []string{"gemm64", "gemm500", "gemm1000", "syrk500", "potrf100", "potrf200", "potrf1000", "trsm500", "exp", "probit", "matern18", "matern300", "sparse_kernel"}
}

// Peak measures the machine: GFLOP/s of one core on independent fused multiply-adds in
// registers, on scalar ones where there is no assembly.
func Peak() float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 1 << 18
	operations := simd.Spin(rounds)
	return 1e-9 * operations / quickest(32, func() { simd.Spin(rounds) })
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

// whole measures a piece of inference on this package's routines and on the twins, in
// turns. It does not run on gonum's own.
func whole(name string, flops, peak float64, work func()) Measurement {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	mine, twin := math.Inf(1), math.Inf(1)
	for range 3 {
		mine = min(mine, quickest(1, work))
		twin = min(twin, quickest(1, func() { simd.Portably(work) }))
	}
	rate := flops / mine * 1e-9
	return Measurement{Name: name, Seconds: mine, GFlops: rate, OfPeak: rate / peak, VsTwin: twin / mine}
}

// measure takes turns, so that whatever else the machine does falls on all alike, and keeps each one's best.
func (w routine) measure(name string, peak float64) Measurement {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const turns, least = 12, 0.008
	w.own()
	reps := 1
	if t := quickest(3, w.own); t < least {
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
		mine = min(mine, quickest(1, batch(w.own, reps))/float64(reps))
		n := max(1, reps/4)
		if w.plain != nil && (t < 3 || mine < 0.01) {
			plain = min(plain, quickest(1, batch(w.plain, n))/float64(n)/w.plainPart)
		}
		if w.dense != nil && t < 2 {
			dense = min(dense, quickest(1, w.dense)/w.densPart)
		}
		if t < w.twinRuns {
			n := max(1, reps/16)
			twin = min(twin, quickest(1, batch(func() { simd.Portably(w.own) }, n))/float64(n))
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
