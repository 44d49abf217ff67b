package model

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Chances of pairs are the same whether all items are taken together or those that were
// asked for.
func TestTogether(t *testing.T) {
	mean := func(i int) float64 { return float64(i % 7) }
	found := 0
	find := func(items []int) moments {
		found++
		m := moments{make([]float64, len(items)), mat.NewSymDense(len(items), nil)}
		for k, i := range items {
			m.mean[k] = mean(i)
			m.cov.SetSym(k, k, 1+float64(i%3))
		}
		return m
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{20, mostTogether + 20} {
		found = 0
		var kept together
		for range 3 {
			left, right := make([]int, 50), make([]int, 50)
			for k := range left {
				left[k] = rng.IntN(n)
				right[k] = (left[k] + 1 + rng.IntN(n-1)) % n
			}
			got := make([]float64, len(left))
			kept.preferTo(got, 4, n, left, right, find, wonBy)
			for k, x := range got {
				i, j := left[k], right[k]
				if want := wonBy(mean(i)-mean(j), float64(2+i%3+j%3)); x != want {
					t.Fatalf("%d items: %d against %d: %g, want %g", n, i, j, x, want)
				}
			}
		}
		if once := n <= mostTogether; (found == 1) != once {
			t.Errorf("%d items: found %d times", n, found)
		}
	}
}
