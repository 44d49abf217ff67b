package simd

import (
	"math"
	"runtime"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Compare measures work that runs on gonum's routines as whole programs do: on this package's, on the twins, and on plain gonum,
// in turns and with GOMAXPROCS(1). flops is what the work computes, peak the machine's rate. Like Bench it swaps what gonum runs on, so nothing else should compute meanwhile.
func Compare(name string, flops, peak float64, work func()) Measurement {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer register(BLAS{}, LAPACK{})
	const turns = 3
	best := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
	for range turns {
		register(BLAS{Serial: true}, LAPACK{Serial: true})
		best[0] = min(best[0], quickest(1, work))
		register(BLAS{Serial: true, Portable: true}, LAPACK{Serial: true, Portable: true})
		best[1] = min(best[1], quickest(1, work))
		register(gonumblas.Implementation{}, gonumlapack.Implementation{})
		best[2] = min(best[2], quickest(1, work))
	}
	rate := flops / best[0] * 1e-9
	return Measurement{Name: name, Seconds: best[0], GFlops: rate, OfPeak: rate / peak, VsTwin: best[1] / best[0], VsGonum: best[2] / best[0]}
}

func register(b blas.Float64, l lapack.Float64) {
	blas64.Use(b)
	lapack64.Use(l)
}
