package metric

import (
	"fmt"
	"math"
	"slices"
)

// NDCG returns the discounted cumulative gain of the order of descending score, divided by that of the best
// order: Σ gain_i / log₂(1+rank_i) over the first k ranks, all when k is 0. Give 2^relevance − 1 as the gain for the
// usual measure on graded relevance. Gains must not be negative; when all are 0 it is NaN. Tied items share the
// mean gain of their ranks.
func NDCG(gain, score []float64, k int) float64 {
	if len(gain) != len(score) || k < 0 {
		panic(fmt.Sprintf("metric: NDCG: %d gains, %d scores, first %d", len(gain), len(score), k))
	}
	if k == 0 || k > len(gain) {
		k = len(gain)
	}
	var got, best float64
	for tied := range descending(score) {
		var sum float64
		for _, i := range tied.items {
			sum += gain[i]
		}
		share := sum / float64(len(tied.items))
		for r := tied.rank; r < min(tied.rank+len(tied.items), k); r++ {
			got += share * discount(r)
		}
	}
	ideal := slices.Clone(gain)
	slices.Sort(ideal)
	for r := range k {
		g := ideal[len(ideal)-1-r]
		if g < 0 {
			panic(fmt.Sprintf("metric: NDCG: gain %v", g))
		}
		best += g * discount(r)
	}
	return got / best
}

// discount is 1/log₂(1+rank), for ranks from 0.
func discount(rank int) float64 { return 1 / math.Log2(float64(rank)+2) }
