package tune

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/internal/num"
)

// How many utilities are drawn for questions that have no closed form, and among how many points
// the best one is looked for by information.
const (
	choiceDraws      = 256
	informationDraws = 512
	arms             = 24
)

// utilities draws about n utilities over the field from what is believed.
func (f *field) utilities(b *Belief, n int, rng *rand.Rand) (draws [][]float64) {
	for _, g := range b.draws {
		mean, cov := g.joint(f.features)
		draws = append(draws, drawJoint(mean, cov, max(1, n/len(b.draws)), rng)...)
	}
	return draws
}

// highest returns the point with the highest of values.
func highest(values []float64) (top int) {
	for i, v := range values {
		if v > values[top] {
			top = i
		}
	}
	return top
}

// bestOf adds points to a list, each the one that raises the mean of the highest utility in the
// list most, until there are k.
func (f *field) bestOf(ctx context.Context, draws [][]float64, list []int, k int) ([]int, error) {
	have := make([]float64, len(draws))
	for d, u := range draws {
		have[d] = math.Inf(-1)
		for _, i := range list {
			have[d] = max(have[d], u[i])
		}
	}
	for len(list) < k {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		gain := make([]float64, len(f.points))
		for d, u := range draws {
			for i, v := range u {
				gain[i] += max(v-have[d], 0)
			}
		}
		for _, i := range list {
			gain[i] = -1
		}
		next := highest(gain)
		for i, x := range f.points { // the same point again is no choice
			if i != next && slices.Equal(x, f.points[next]) {
				for d := range draws {
					draws[d][i] = math.Inf(-1)
				}
			}
		}
		list = append(list, next)
		for d, u := range draws {
			have[d] = max(have[d], u[next])
		}
	}
	return list, nil
}

// telling returns the pair of points whose duel tells most about which point is best: how much
// the entropy of the answer falls once that is known. The best one is one of those that are best
// under most of the utilities drawn. It is not ok where there is one such point.
func (f *field) telling(draws [][]float64) (left, right int, ok bool) {
	times := make([]float64, len(f.points))
	for _, u := range draws {
		times[highest(u)]++
	}
	var among []int
	for _, i := range f.order(times)[:min(arms, len(times))] {
		if times[i] > 0 {
			among = append(among, i)
		}
	}
	best := make([]int, len(draws)) // of the arms, under each draw
	count := make([]float64, len(among))
	for d, u := range draws {
		for a, i := range among {
			if u[i] > u[among[best[d]]] {
				best[d] = a
			}
		}
		count[best[d]]++
	}
	most := math.Inf(-1)
	wins := make([]float64, len(among))
	for a, i := range among {
		for _, j := range among[:a] {
			clear(wins)
			for d, u := range draws {
				wins[best[d]] += num.Phi(u[i] - u[j])
			}
			all, rest := 0.0, 0.0
			for k, n := range count {
				if n > 0 {
					all += wins[k]
					rest += n * entropy(wins[k]/n)
				}
			}
			n := float64(len(draws))
			if told := entropy(all/n) - rest/n; told > most {
				most, left, right, ok = told, i, j, true
			}
		}
	}
	return left, right, ok
}

// entropy is that of a coin.
func entropy(p float64) float64 {
	if p <= 0 || p >= 1 {
		return 0
	}
	return -p*math.Log(p) - (1-p)*math.Log1p(-p)
}
