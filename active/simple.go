package active

import (
	"math"
	"math/rand/v2"
)

// Random asks any pair.
type Random struct{}

func (Random) start(v *view, rng *rand.Rand) scorer { return &anyPair{v, rng} }

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

// Coverage asks the items with the fewest votes.
type Coverage struct{}

func (Coverage) start(v *view, _ *rand.Rand) scorer {
	return rowFunc(func(dst []float64, i int, j []int, _, _, _ []float64) {
		for k, other := range j {
			dst[k] = -math.Log(2 + v.votes[i] + v.votes[other])
		}
	})
}

// Uncertainty asks the pair whose outcome is the most open: a win probability
// nearest to one half. It does not care why that is so, and goes on asking pairs
// that are known to be equal.
type Uncertainty struct{}

func (Uncertainty) start(*view, *rand.Rand) scorer {
	return rowFunc(func(dst []float64, _ int, _ []int, d, v, _ []float64) {
		for k := range dst {
			dst[k] = -0.5 * d[k] * d[k] / (1 + v[k])
		}
	})
}

// EUBO asks the pair whose better item is expected to be best, E max(f_i, f_j)
// (Lin, Astudillo, Frazier, Bakshy 2022). It is for finding something good with
// few questions.
type EUBO struct{}

func (EUBO) start(v *view, _ *rand.Rand) scorer {
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
	})
}

// Thompson lets the best items of two joint draws meet. Where that pair may not
// be asked, the one with the next highest sum follows.
type Thompson struct{}

// thompsonDraws are for the propensity.
const thompsonDraws = 128

func (Thompson) start(v *view, rng *rand.Rand) scorer {
	d := v.p.Draws(v.user, thompsonDraws, rng)
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
	return s
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
