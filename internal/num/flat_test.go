package num

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Loops and blocked routines give the inverse and the determinant, and find out what
// has none.
func TestInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5, Plain, Plain + 1, 40, 150} {
		b, a := make([]float64, n*n), make([]float64, n*n)
		for i := range b { // some directions are much longer than others
			b[i] = rng.NormFloat64() * math.Exp(rng.NormFloat64())
		}
		for i := range n {
			for j := range n {
				for k := range n {
					a[i*n+j] += b[i*n+k] * b[j*n+k]
				}
			}
			a[i*n+i] += float64(n)
		}
		inv, factor := make([]float64, n*n), slices.Clone(a)
		logDet, ok := Invert(inv, factor, n)
		if !ok {
			t.Fatalf("%d: not inverted", n)
		}
		Mirror(inv, n)
		for i := range n {
			for j := range n {
				var sum float64
				for k := range n {
					sum += a[i*n+k] * inv[k*n+j]
				}
				if i == j {
					sum--
				}
				if math.Abs(sum) > 1e-9 {
					t.Fatalf("%d: entry %d, %d is off by %v", n, i, j, sum)
				}
			}
		}
		var want float64
		for i := range n { // the diagonal of the factor's inverse
			want -= 2 * math.Log(factor[i*n+i])
		}
		if math.Abs(logDet-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("%d: log determinant %v, want %v", n, logDet, want)
		}
		wide := slices.Clone(a)
		if !FactorWide(wide, n) {
			t.Errorf("%d: not factored on all processors", n)
		}
		x, y := make([]float64, n), make([]float64, n)
		x[0], x[n-1] = 1, 2
		SymVec(y, a, x, n)
		for i := range n {
			if want := a[i*n] * x[0]; n > 1 && math.Abs(y[i]-want-2*a[i*n+n-1]) > 1e-9*math.Abs(want) {
				t.Errorf("%d: product %d is %v", n, i, y[i])
			}
		}
		a[n*n-1] = -1
		if _, ok := Invert(inv, a, n); ok {
			t.Errorf("%d: something indefinite was inverted", n)
		}
	}
}
