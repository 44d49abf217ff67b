package metric

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// AveragePrecision returns the mean, over the relevant items, of the share of relevant items among those ranked
// no lower, in the order of descending score. Over tied items it is the mean over all their orders (McSherry and
// Najork 2008). It is NaN when nothing is relevant.
func AveragePrecision(relevant []bool, score []float64) float64 {
	if len(relevant) != len(score) {
		panic(fmt.Sprintf("metric: AveragePrecision: %d items, %d scores", len(relevant), len(score)))
	}
	var sum, above float64 // above: relevant items in higher groups
	for tied := range descending(score) {
		var r float64
		for _, i := range tied.items {
			if relevant[i] {
				r++
			}
		}
		n := float64(len(tied.items))
		for k := range tied.items {
			// An item at place k of its group is relevant with chance r/n; of the k before it, k(r−1)/(n−1) are too.
			before := 0.0
			if k > 0 {
				before = float64(k) * (r - 1) / (n - 1)
			}
			sum += r / n * (above + before + 1) / float64(tied.rank+k+1)
		}
		above += r
	}
	return sum / above
}

// MAP returns the mean average precision over queries, leaving out those with nothing relevant.
func MAP(relevant [][]bool, score [][]float64) float64 {
	if len(relevant) != len(score) {
		panic(fmt.Sprintf("metric: MAP: %d and %d queries", len(relevant), len(score)))
	}
	var sum, n float64
	for q := range relevant {
		if ap := AveragePrecision(relevant[q], score[q]); !math.IsNaN(ap) {
			sum += ap
			n++
		}
	}
	return sum / n
}

// group is a run of items with the same score.
type group struct {
	rank  int // of its first place, from 0
	items []int
}

// descending goes through groups of tied items from the highest score down.
func descending(score []float64) iter.Seq[group] {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return func(yield func(group) bool) {
		for from := 0; from < len(order); {
			to := from + 1
			for to < len(order) && score[order[to]] == score[order[from]] {
				to++
			}
			if !yield(group{from, order[from:to]}) {
				return
			}
			from = to
		}
	}
}
