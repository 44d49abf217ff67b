package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// FuzzTwins runs assembly and twins on the same random operands, now and then with a special value among them.
func FuzzTwins(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint8(7), uint8(13), false)
	f.Add(uint64(2), uint8(64), uint8(1), uint8(0), true)
	f.Add(uint64(3), uint8(13), uint8(100), uint8(70), true)
	f.Fuzz(func(t *testing.T, seed uint64, m, n, k uint8, special bool) {
		r := rand.New(rand.NewPCG(seed, 0))
		rows, cols, depth := int(m), int(n), int(k)
		poison := func(x field) {
			if special && x.rows*x.cols > 0 {
				x.data[r.IntN(x.rows)*x.ld+r.IntN(x.cols)] = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0}[r.IntN(4)]
			}
		}
		agree := func(what string, tol float64, run func(m mode, dst field), dst field) {
			one, two := dst.clone(), dst.clone()
			run(mode{}, one)
			run(mode{portable: true}, two)
			for i := range one.data {
				a, b := one.data[i], two.data[i]
				if math.IsNaN(a) && math.IsNaN(b) || a == b || math.Abs(a-b) <= tol*(1+math.Abs(b)) {
					continue
				}
				t.Fatalf("%s %d×%d×%d: assembly %v, twin %v", what, rows, cols, depth, a, b)
			}
		}
		a, b := newField(r, rows, depth), newField(r, depth, cols)
		y := newField(r, cols, depth)
		poison(a)
		poison(b)
		poison(y)
		agree("gemm", 1e-13*float64(depth+1), func(m mode, c field) {
			BLAS{Portable: m.portable}.Dgemm(blas.NoTrans, blas.NoTrans, rows, cols, depth, -0.3, a.data, a.ld, b.data, b.ld, 1.1, c.data, c.ld)
		}, newField(r, rows, cols))
		inv := scales(r, depth)
		for name, k := range forms {
			agree(name, 1e-13*float64(depth+1), func(m mode, c field) {
				m.kernel(blas64.General{Rows: rows, Cols: cols, Stride: c.ld, Data: c.data}, k.form,
					blas64.General{Rows: rows, Cols: depth, Stride: a.ld, Data: a.data}, blas64.General{Rows: cols, Cols: depth, Stride: y.ld, Data: y.data}, inv)
			}, newField(r, rows, cols))
		}
		x := normal(r, rows)
		for i := range x {
			x[i] *= math.Exp(6 * r.NormFloat64())
		}
		for name, f := range map[string]func(m mode, dst []float64){
			"exp": func(m mode, d []float64) { m.exp(d, x) }, "log": func(m mode, d []float64) { m.log(d, x) },
			"log Φ": func(m mode, d []float64) { m.probit(d, make([]float64, rows), make([]float64, rows), x) },
			"φ/Φ":   func(m mode, d []float64) { m.probit(make([]float64, rows), d, make([]float64, rows), x) },
			"rest":  func(m mode, d []float64) { m.probit(make([]float64, rows), make([]float64, rows), d, x) },
		} {
			one, two := make([]float64, rows), make([]float64, rows)
			f(mode{}, one)
			f(mode{portable: true}, two)
			for i := range one {
				if ulps(one[i], two[i]) > 32 {
					t.Fatalf("%s(%v): assembly %v, twin %v", name, x[i], one[i], two[i])
				}
			}
		}
	})
}
