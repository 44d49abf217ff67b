package active

import (
	"context"
	"math/rand/v2"
)

// Random asks any pair.
type Random struct{}

func (Random) start(_ context.Context, v *view, rng *rand.Rand) (scorer, error) {
	return &anyPair{v, rng}, nil
}

type anyPair struct {
	v   *view
	rng *rand.Rand
}

func (s *anyPair) row(dst []float64, _ int, _ []int, _, _, _ []float64) {
	for k := range dst {
		dst[k] = s.rng.Float64()
	}
}

func (s *anyPair) propensity(int, int) float64 { return 1 / float64(s.v.candidates()) }
