package simd

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/blas"
)

// BenchmarkGoroutines reports how much sooner two goroutines are done than one.
func BenchmarkGoroutines(b *testing.B) {
	r := random()
	const n = 1000
	x, y, c := normal(r, n*n), normal(r, n*n), make([]float64, n*n)
	for name, f := range map[string]func(){
		"gemm1000": func() { BLAS{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, c, n) },
	} {
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
			for range b.N {
				best := [3]float64{1: math.Inf(1), 2: math.Inf(1)}
				for range 12 {
					for procs := 1; procs <= 2; procs++ {
						runtime.GOMAXPROCS(procs)
						start := time.Now()
						f()
						best[procs] = min(best[procs], time.Since(start).Seconds())
					}
				}
				b.ReportMetric(best[1]/best[2], "two-vs-one")
			}
		})
	}
}

// BenchmarkVectors reports the whole-vector functions in nanoseconds a value.
func BenchmarkVectors(b *testing.B) {
	x, y, h, rest := normal(random(), 4096), make([]float64, 4096), make([]float64, 4096), make([]float64, 4096)
	for i := range x {
		x[i] = math.Abs(x[i])
	}
	for path, m := range paths {
		for name, f := range map[string]func(){
			"exp": func() { m.exp(y, x) }, "log": func() { m.log(y, x) }, "probit": func() { m.probit(y, h, rest, x) },
		} {
			b.Run(name+"/"+path, func(b *testing.B) {
				for b.Loop() {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(x)), "ns/value")
			})
		}
	}
}

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// TestPortably compares what runs Portably with the twins, and finds all as it was after.
func TestPortably(t *testing.T) {
	x := normal(random(), 1000)
	own, twin, portably, again := make([]float64, 1000), make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)
	Exp(own, x)
	mode{portable: true}.exp(twin, x)
	Portably(func() { Exp(portably, x) })
	Exp(again, x)
	if !slices.Equal(portably, twin) || !slices.Equal(again, own) {
		t.Error("not the twins, or not what was there before")
	}
	if n := Spin(10); n < 240 {
		t.Errorf("%v operations", n)
	}
}
