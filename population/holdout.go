package population

import (
	"math"
	"math/rand/v2"

	"palate"
	"palate/likelihood"
)

// SetAside takes a share of everybody's votes and answers away, at random, but leaves
// everybody one at least, and unknown persons theirs. Tallies and answers are in order of
// user; what is taken from a person depends on that person and the seed alone. Of answers
// the pairs that follow are put aside.
func SetAside(tallies []palate.Tally, answers []palate.Answer, share float64, seed uint64) (kept []palate.Tally, said []palate.Answer, aside []palate.Tally) {
	for len(tallies)+len(answers) > 0 {
		user := math.MaxInt
		if len(tallies) > 0 {
			user = tallies[0].User
		}
		if len(answers) > 0 {
			user = min(user, answers[0].User)
		}
		rng := rand.New(rand.NewPCG(seed, uint64(user)))
		out := 0
		var all int
		for all < len(tallies) && tallies[all].User == user {
			all++
		}
		votes := tallies[:all]
		tallies, all = tallies[all:], 0
		for all < len(answers) && answers[all].User == user {
			all++
		}
		own := answers[:all]
		answers = answers[all:]
		takes := func() bool {
			if user < 0 || !(rng.Float64() < share && out < len(votes)+len(own)-1) {
				return false
			}
			out++
			return true
		}
		for _, t := range votes {
			if takes() {
				aside = append(aside, t)
			} else {
				kept = append(kept, t)
			}
		}
		for _, a := range own {
			if !takes() {
				said = append(said, a)
				continue
			}
			aside = append(aside, a.Tallies()...)
		}
	}
	return kept, said, aside
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
