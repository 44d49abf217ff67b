package active

import (
	"context"
	"math"
	"math/rand/v2"
)

// EUBO asks the pair whose better item is expected to be best, E max(f_i, f_j)
// (Lin, Astudillo, Frazier, Bakshy 2022). It is for finding something good with
// few questions.
type EUBO struct{}

func (EUBO) start(_ context.Context, v *view, _ *rand.Rand) (scorer, error) {
	low := math.Inf(1)
	for _, i := range v.items {
		low = math.Min(low, v.mean[i])
	}
	return rowFunc(func(dst []float64, i int, j []int, d, v2, _ []float64) {
		for k := range dst {
			sd := math.Sqrt(math.Max(v2[k], 1e-300))
			a := d[k] / sd
			best := v.mean[j[k]] + d[k]*tail(-a) + sd*math.Exp(-0.5*a*a)/math.Sqrt(2*math.Pi)
			dst[k] = math.Log(best - low + 1e-12) // never below the lowest mean
		}
	}), nil
}
