package compare

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"

	"palate/internal/num"
)

// MostVotes is the most that Pair.More says.
const MostVotes = 1_000_000

// votesToSettle is the least number of further votes between two items, whose difference is
// one of the draws by their weights, after which one is the better with probability level as
// likely as not. noise is the deviation of the Gaussian noise of a vote.
func votesToSettle(x, weight []float64, noise, level float64) int {
	b := newBelief(x, weight, noise)
	enough := func(votes int) bool { return b.settled(votes, level) >= 0.5 }
	if enough(0) {
		return 0
	}
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

// belief is what is known of a difference: some values, in units of the noise of a vote, and
// how probable each is.
type belief struct {
	at, share []float64
	win, lose []float64 // log chances of a vote at each
}

// values is about how many a belief has.
const values = 128

// newBelief sums draws up: a value stands for neighbouring ones, all on one side of 0.
func newBelief(x, weight []float64, noise float64) belief {
	order := make([]int, 0, len(x))
	for k, w := range weight {
		if w > 0 {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	var b belief
	var sum, mean float64
	for n, k := range order {
		sum += weight[k]
		mean += weight[k] * x[k]
		last := n == len(order)-1
		if last || sum >= 1.0/values || (x[k] > 0) != (x[order[n+1]] > 0) {
			z := mean / sum / noise
			b.at, b.share = append(b.at, z), append(b.share, sum)
			b.win, b.lose = append(b.win, num.LogPhi(z)), append(b.lose, num.LogPhi(-z))
			sum, mean = 0, 0
		}
	}
	return b
}

// better is the probability that the difference is above 0 after so many votes were won and
// lost.
func (b belief) better(won, lost int) float64 {
	log := make([]float64, len(b.at))
	best := math.Inf(-1)
	for k := range log {
		log[k] = math.Log(b.share[k]) + float64(won)*b.win[k] + float64(lost)*b.lose[k]
		best = max(best, log[k])
	}
	var all, above float64
	for k, l := range log {
		p := math.Exp(l - best)
		if all += p; b.at[k] > 0 {
			above += p
		}
	}
	return above / all
}

// settled is the probability that so many votes settle which is better, whichever it is. The
// more of them are won the more probable it is that the difference is above 0, so that two
// numbers of wins are all that has to be found.
func (b belief) settled(votes int, level float64) (p float64) {
	enough := sort.Search(votes+1, func(won int) bool { return b.better(won, votes-won) >= level })
	lost := sort.Search(votes+1, func(lost int) bool { return 1-b.better(votes-lost, lost) >= level })
	for k, z := range b.at {
		p += b.share[k] * (atLeast(enough, votes, num.Phi(z)) + atLeast(lost, votes, num.Phi(-z)))
	}
	return p
}

// atLeast is the probability that at least k of n come true, each with probability p.
func atLeast(k, n int, p float64) float64 {
	switch {
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}
