package crowd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// covariance is positive definite, with some directions much longer than others.
func covariance(rng *rand.Rand, n int) []float64 {
	b := make([]float64, n*n)
	for i := range b {
		b[i] = rng.NormFloat64() * math.Exp(rng.NormFloat64())
	}
	a := make([]float64, n*n)
	for i := range n {
		for j := range n {
			a[i*n+j] = dot(b[i*n:i*n+n], b[j*n:j*n+n])
		}
		a[i*n+i] += float64(n)
	}
	return a
}

// TestInvert: both ways give the inverse and the determinant, and find out what has
// none.
func TestInvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5, plainLoops, plainLoops + 1, 40, 150} {
		a, work := covariance(rng, n), make([]float64, n*n)
		plain, blocked := append([]float64{}, a...), append([]float64{}, a...)
		p, ok := invertPlain(plain, work, n)
		b, fine := invertBlocked(blocked, work, n)
		if !ok || !fine || math.Abs(p-b) > 1e-10*(1+math.Abs(p)) {
			t.Errorf("%d: log determinants %v, %v, %v, %v", n, p, ok, b, fine)
		}
		for i := range n {
			for j := range n {
				var sum float64
				for k := range n {
					sum += a[i*n+k] * blocked[k*n+j]
				}
				if i == j {
					sum--
				}
				if math.Abs(sum) > 1e-9 || math.Abs(plain[i*n+j]-blocked[i*n+j]) > 1e-9 {
					t.Fatalf("%d: entry %d, %d is %v and %v; off by %v", n, i, j, plain[i*n+j], blocked[i*n+j], sum)
				}
			}
		}
		a[n*n-1] = -1
		if _, ok := invert(a, work, n); ok {
			t.Errorf("%d: something indefinite was inverted", n)
		}
	}
}

func BenchmarkInvert(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{8, 16, 24, 32, 64, 150} {
		a, to, work := covariance(rng, n), make([]float64, n*n), make([]float64, n*n)
		for name, f := range map[string]func(a, work []float64, n int) (float64, bool){"plain": invertPlain, "blocked": invertBlocked} {
			b.Run(fmt.Sprint(name, n), func(b *testing.B) {
				for b.Loop() {
					copy(to, a)
					f(to, work, n)
				}
			})
		}
	}
}
