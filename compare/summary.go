package compare

import (
	"cmp"
	"math"
	"slices"

	"palate/internal/num"
)

// summary is what draws of a number say.
type summary struct {
	mean, sd, lo, hi float64
	positive         float64 // probability that it is above 0; of 0 itself half
}

// summarise describes draws with weights that sum to one, by an interval at a level that
// leaves equal shares out at both ends and holds the mean.
func summarise(x, weight []float64, level float64) (s summary) {
	order := make([]int, len(x))
	for k, w := range weight {
		order[k] = k
		s.mean += w * x[k]
		switch {
		case x[k] > 0:
			s.positive += w
		case x[k] == 0:
			s.positive += w / 2
		}
	}
	for k, w := range weight {
		s.sd += w * (x[k] - s.mean) * (x[k] - s.mean)
	}
	s.sd = math.Sqrt(s.sd)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	at := func(p float64) float64 {
		var sum float64
		for _, k := range order {
			if sum += weight[k]; sum >= p {
				return x[k]
			}
		}
		return x[order[len(order)-1]]
	}
	s.lo, s.hi = min(at((1-level)/2), s.mean), max(at((1+level)/2), s.mean)
	s.positive = min(s.positive, 1)
	return s
}

// MostVotes is the most that Pair.More says.
const MostVotes = 1_000_000

// votesToSettle is the least number of further votes between two items, of which the
// difference is known as the summary says, after which one is the better with probability
// level as likely as not. noise is the deviation of the Gaussian noise of a vote.
func votesToSettle(s summary, noise, level float64) int {
	if max(s.positive, 1-s.positive) >= level {
		return 0
	}
	enough := func(n int) bool { return chanceSettled(s, noise, level, n) >= 0.5 }
	hi := 1
	for ; !enough(hi); hi *= 2 {
		if hi >= MostVotes {
			return MostVotes
		}
	}
	lo := hi / 2
	for hi-lo > 1 {
		if middle := (lo + hi) / 2; enough(middle) {
			hi = middle
		} else {
			lo = middle
		}
	}
	return hi
}

// truths is how many true differences stand for all that may be.
const truths = 32

// chanceSettled is the probability that n more votes settle a pair: the mean over what the
// difference may be of the chance that its posterior is so far from 0. A vote tells as much
// of the difference d as Fisher's information of Φ(d/noise) says, φ²/(Φ(1−Φ))/noise².
func chanceSettled(s summary, noise, level float64, n int) (p float64) {
	x, w := num.GaussHermite(truths)
	z, prior := num.Quantile(level), 1/(s.sd*s.sd)
	for k := range x {
		d := s.mean + s.sd*x[k]
		u := d / noise
		density := math.Exp(-0.5*u*u) / math.Sqrt(2*math.Pi)
		told := float64(n) * density * density / (num.Phi(u) * num.Phi(-u)) / (noise * noise)
		precision := prior + told
		// The posterior mean given the truth, and its deviation.
		mean, sd := (prior*s.mean+told*d)/precision, math.Sqrt(told)/precision
		far := z / math.Sqrt(precision)
		p += w[k] * (num.Phi((mean-far)/sd) + num.Phi((-mean-far)/sd))
	}
	return p
}
