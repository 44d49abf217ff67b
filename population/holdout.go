package population

import (
	"math/rand/v2"

	"palate"
	"palate/likelihood"
)

// HoldOut takes a share of everybody's votes and answers away, at random, but leaves
// everybody one at least, and unknown persons theirs. Tallies and answers are in order of
// user; what is taken from a person depends on that person and the seed alone. Of answers
// the pairs that follow are held out.
func HoldOut(tallies []palate.Tally, answers []palate.Answer, share float64, seed uint64) (kept []palate.Tally, said []palate.Answer, heldOut []palate.Tally) {
	for user, told := range byUser(tallies, answers) {
		rng := rand.New(rand.NewPCG(seed, uint64(user)))
		out := 0
		takes := func() bool {
			if user < 0 || !(rng.Float64() < share && out < len(told.Tallies)+len(told.Answers)-1) {
				return false
			}
			out++
			return true
		}
		for _, t := range told.Tallies {
			if takes() {
				heldOut = append(heldOut, t)
			} else {
				kept = append(kept, t)
			}
		}
		for _, a := range told.Answers {
			if !takes() {
				said = append(said, a)
				continue
			}
			heldOut = append(heldOut, a.Tallies()...)
		}
	}
	return kept, said, heldOut
}

// heldOutLoss collects the loss of votes that were held out, in nats: what the
// posterior of each person without them makes of them.
type heldOutLoss struct {
	prior  Prior
	of     func(Observation) likelihood.Scalar
	votes  map[int][]palate.Tally // by person
	weight float64
	loss   float64 // the sum
}

// newHeldOutLoss is of votes held out by people; nil when there are none.
func newHeldOutLoss(p *People, heldOut []palate.Tally) *heldOutLoss {
	if len(heldOut) == 0 {
		return nil
	}
	person := make(map[int]int, p.Len())
	for k := range p.Len() {
		person[p.Owner(k)] = k
	}
	w := &heldOutLoss{votes: map[int][]palate.Tally{}}
	for _, t := range heldOut {
		if k, ok := person[t.User]; ok {
			w.votes[k] = append(w.votes[k], t)
			w.weight += t.Weight
		}
	}
	return w
}

func (s *heldOutLoss) Size(int) int { return 1 }

func (s *heldOutLoss) Collect(dst []float64, w *Person, u int, items []int32) {
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

func (s *heldOutLoss) Add(src []float64, _ int, _ []int32) { s.loss += src[0] }
