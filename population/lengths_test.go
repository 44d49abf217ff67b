package population

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/kernel"
)

// People whose tastes follow a smooth curve over a feature are told best by a
// kernel that is smooth, and those whose tastes follow none by one that is not.
func TestChooseKernel(t *testing.T) {
	const items = 24
	rng := rand.New(rand.NewPCG(9, 9))
	x := mat.NewDense(items, 1, nil)
	for i := range items {
		x.Set(i, 0, float64(i)/items)
	}
	at := func(length float64) kernel.Kernel {
		return kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{length})
	}
	for _, smooth := range []bool{true, false} {
		var tallies []palate.Tally
		for u := range 120 {
			slope, bend := rng.NormFloat64(), rng.NormFloat64()
			f := make([]float64, items)
			for i := range f {
				if v := x.At(i, 0); smooth {
					f[i] = 6*slope*v + 3*bend*math.Cos(3*v)
				} else {
					f[i] = 2 * rng.NormFloat64()
				}
			}
			seen := map[[2]int]bool{}
			for range 12 {
				a, b := rng.IntN(items), rng.IntN(items)
				if f[a]+rng.NormFloat64() < f[b] {
					a, b = b, a
				}
				if a != b && !seen[[2]int{a, b}] {
					seen[[2]int{a, b}] = true
					tallies = append(tallies, palate.Tally{User: u, A: a, B: b, Weight: 1})
				}
			}
		}
		best, evidence, err := ChooseKernel(context.Background(), mustPeople(t, items, tallies), x, []kernel.Kernel{at(0.001), at(1)}, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		if smooth && (best != 1 || evidence[1] < evidence[0]+10) {
			t.Errorf("smooth: kernel %d by evidences %v", best, evidence)
		}
		if !smooth && evidence[1] > evidence[0]+3 {
			t.Errorf("rough: evidences %v", evidence)
		}
	}
}
