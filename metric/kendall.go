package metric

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// KendallTauA returns (concordant − discordant pairs) / all pairs, NaN for fewer than two items.
func KendallTauA(x, y []float64) float64 {
	c := concordance(x, y)
	return c.score / c.pairs
}

// KendallTauB returns (concordant − discordant pairs) / √(pairs not tied in x × pairs not tied in y), NaN when
// either is constant.
func KendallTauB(x, y []float64) float64 {
	c := concordance(x, y)
	return c.score / math.Sqrt((c.pairs-c.tiedX)*(c.pairs-c.tiedY))
}

// pairs counts pairs of items. Counts are exact up to 2⁵³.
type pairs struct {
	score        float64 // concordant less discordant
	pairs        float64
	tiedX, tiedY float64
}

// concordance counts in O(n log n), after Knight (1966): sort by x, then count the exchanges that sorting by y
// takes.
func concordance(x, y []float64) pairs {
	if len(x) != len(y) {
		panic(fmt.Sprintf("metric: Kendall: %d and %d items", len(x), len(y)))
	}
	n := len(x)
	type point struct{ x, y float64 }
	points := make([]point, n)
	for i := range x {
		if math.IsNaN(x[i]) || math.IsNaN(y[i]) {
			return pairs{score: math.NaN()}
		}
		points[i] = point{x[i], y[i]}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	c := pairs{pairs: choose2(n)}
	c.tiedX = runs(points, func(a, b point) bool { return a.x == b.x })
	both := runs(points, func(a, b point) bool { return a == b })
	sorted := make([]float64, n)
	for i, p := range points {
		sorted[i] = p.y
	}
	discordant := exchanges(sorted, make([]float64, n))
	c.tiedY = runs(sorted, func(a, b float64) bool { return a == b })
	c.score = c.pairs - c.tiedX - c.tiedY + both - 2*discordant
	return c
}

// runs counts the pairs of equal elements in a sorted slice.
func runs[T any](s []T, equal func(a, b T) bool) float64 {
	var count float64
	for from := 0; from < len(s); {
		to := from + 1
		for to < len(s) && equal(s[from], s[to]) {
			to++
		}
		count += choose2(to - from)
		from = to
	}
	return count
}

func choose2(n int) float64 { return float64(n) * float64(n-1) / 2 }

// exchanges sorts s by merging and returns the number of pairs that were out of order.
func exchanges(s, room []float64) float64 {
	if len(s) < 2 {
		return 0
	}
	half := len(s) / 2
	count := exchanges(s[:half], room[:half]) + exchanges(s[half:], room[half:])
	i, j := 0, half
	for k := range room {
		if j == len(s) || i < half && s[i] <= s[j] {
			room[k] = s[i]
			i++
		} else {
			room[k] = s[j]
			j++
			count += float64(half - i)
		}
	}
	copy(s, room)
	return count
}
