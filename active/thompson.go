package active

import (
	"context"
	"math"
	"math/rand/v2"
)

// Thompson lets the best items of two joint draws meet. Where that pair may not
// be asked, the one with the next highest sum follows.
type Thompson struct{}

// thompsonDraws are for the propensity.
const thompsonDraws = 128

func (Thompson) start(ctx context.Context, v *view, rng *rand.Rand) (scorer, error) {
	d, err := v.p.Draws(ctx, v.user, thompsonDraws, rng)
	if err != nil {
		return nil, err
	}
	pick := func() int {
		x := rng.Float64()
		for k, w := range d.Weight {
			if x -= w; x < 0 {
				return k
			}
		}
		return len(d.Weight) - 1
	}
	a, b := pick(), pick()
	for b == a && len(d.Weight) > 1 {
		b = pick()
	}
	s := &duel{a: d.F.RawRowView(a), b: d.F.RawRowView(b), best: map[int]float64{}}
	for k, w := range d.Weight {
		f := d.F.RawRowView(k)
		top := v.items[0]
		for _, i := range v.items {
			if f[i] > f[top] {
				top = i
			}
		}
		s.best[top] += w
	}
	return s, nil
}

type duel struct {
	a, b []float64
	best map[int]float64 // share of draws in which an item is the best
}

func (s *duel) row(dst []float64, i int, j []int, _, _, _ []float64) {
	for k, other := range j {
		dst[k] = math.Max(s.a[i]+s.b[other], s.a[other]+s.b[i])
	}
}

// propensity is estimated from the draws, with half a draw for what none showed.
func (s *duel) propensity(i, j int) float64 {
	const least = 0.5 / thompsonDraws
	return 2 * math.Max(s.best[i], least) * math.Max(s.best[j], least)
}
