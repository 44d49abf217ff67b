package population

import (
	"math/rand/v2"

	"palate"
	"palate/likelihood"
)

// SetAside takes a share of everybody's votes away, at random, but leaves
// everybody one at least, and unknown persons theirs. Tallies are in order of
// user; what is taken from a person depends on that person and the seed alone.
func SetAside(tallies []palate.Tally, share float64, seed uint64) (kept, aside []palate.Tally) {
	for lo := 0; lo < len(tallies); {
		hi, user := lo+1, tallies[lo].User
		for hi < len(tallies) && tallies[hi].User == user {
			hi++
		}
		own := tallies[lo:hi]
		lo = hi
		if user < 0 {
			kept = append(kept, own...)
			continue
		}
		rng := rand.New(rand.NewPCG(seed, uint64(user)))
		last := len(own)
		for _, t := range own {
			if rng.Float64() < share && last > 1 {
				aside = append(aside, t)
				last--
				continue
			}
			kept = append(kept, t)
		}
	}
	return kept, aside
}

// watch collects the loss of votes that were set aside, in nats: what the
// posterior of each person without them makes of them.
type watch struct {
	prior  Prior
	of     func(Observation) likelihood.Scalar
	votes  map[int][]palate.Tally // by person
	weight float64
	loss   float64 // the sum
}

// newWatch watches votes set aside by people; nil when there are none.
func newWatch(p *People, aside []palate.Tally) *watch {
	if len(aside) == 0 {
		return nil
	}
	person := make(map[int]int, p.Len())
	for k := range p.Len() {
		person[p.Owner(k)] = k
	}
	w := &watch{votes: map[int][]palate.Tally{}}
	for _, t := range aside {
		if k, ok := person[t.User]; ok {
			w.votes[k] = append(w.votes[k], t)
			w.weight += t.Weight
		}
	}
	return w
}

func (s *watch) Size(int) int { return 1 }

func (s *watch) Collect(dst []float64, w *Person, u int, items []int32) {
	dst[0] = 0
	c := make([]float64, w.m)
	for _, t := range s.votes[u] {
		for k, item := range items {
			c[k] = s.prior.Cov(t.A, int(item)) - s.prior.Cov(t.B, int(item))
		}
		mean := s.prior.Mean(u, t.A) - s.prior.Mean(u, t.B)
		variance := s.prior.Cov(t.A, t.A) + s.prior.Cov(t.B, t.B) - 2*s.prior.Cov(t.A, t.B)
		mean, variance = conditioned(c, w.pull, w.info, mean, variance)
		dst[0] -= t.Weight * likelihood.Tilt(s.of(Observation{Tie: t.Tie, Power: 1}), mean, variance).LogZ
	}
}

func (s *watch) Add(src []float64, _ int, _ []int32) { s.loss += src[0] }
