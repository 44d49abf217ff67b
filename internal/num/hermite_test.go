package num

import (
	"math"
	"sync"
	"testing"
)

// An n-point rule integrates z^p exactly for p ≤ 2n−1: 0 for odd p, (p−1)!! for
// even p.
func TestGaussHermiteMoments(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 8, 12, 20, 33, 64, 101, 200, 300} {
		x, w := GaussHermite(n)
		if len(x) != n || len(w) != n {
			t.Fatalf("n=%d: %d nodes, %d weights", n, len(x), len(w))
		}
		double := 1.0
		for p := 0; p <= 2*n-1 && p <= 40; p++ {
			var got float64
			for i := range x {
				got += w[i] * math.Pow(x[i], float64(p))
			}
			if p%2 == 1 {
				if math.Abs(got) > 1e-12*double*float64(p) {
					t.Errorf("n=%d: E z^%d = %v", n, p, got)
				}
				continue
			}
			if p > 0 {
				double *= float64(p - 1)
			}
			if relErr(got, double) > 2e-13 {
				t.Errorf("n=%d: E z^%d = %v, want %v", n, p, got, double)
			}
		}
		for i := range n {
			if x[i] != -x[n-1-i] || w[i] != w[n-1-i] || (i > 0 && x[i] <= x[i-1]) || w[i] <= 0 {
				t.Errorf("n=%d: node %d is %v with weight %v", n, i, x[i], w[i])
			}
		}
	}
}

// The outermost weights keep their relative accuracy. For n = 5 the roots of
// He₅ = x(x⁴ − 10x² + 15) and w = 5!/(5² He₄(x)²) give them in closed form.
func TestGaussHermiteFive(t *testing.T) {
	x, w := GaussHermite(5)
	for i, x2 := range map[int]float64{0: 5 + math.Sqrt(10), 1: 5 - math.Sqrt(10), 2: 0} {
		he4 := x2*x2 - 6*x2 + 3
		if relErr(-x[i], math.Sqrt(x2)) > 1e-15 || relErr(w[i], 120/(25*he4*he4)) > 1e-14 {
			t.Errorf("node %d: %v, %v", i, x[i], w[i])
		}
	}
}

// E Φ(a + bz) = Φ(a/√(1+b²)).
func TestGaussHermiteProbit(t *testing.T) {
	x, w := GaussHermite(64)
	var got float64
	for i := range x {
		got += w[i] * Phi(0.7+1.3*x[i])
	}
	if want := Phi(0.7 / math.Sqrt(1+1.3*1.3)); relErr(got, want) > 1e-10 {
		t.Errorf("E Φ = %v, want %v", got, want)
	}
}

func TestGaussHermiteConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for n := 1; n < 40; n++ {
				x, w := GaussHermite(n)
				if len(x) != n || len(w) != n {
					t.Errorf("%d points, %d weights, want %d", len(x), len(w), n)
				}
			}
		})
	}
	wg.Wait()
}
