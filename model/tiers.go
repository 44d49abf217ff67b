package model

// tiers sorts the items of groups, best first, into tiers of their group by joint draws of
// their scores, one list of draws an item. An item goes below the first item of a tier only where that one is
// above it with probability c, and stays in the first tier where it is not; an item
// that is below the first items of all tiers begins another. A tier is thus a claim
// about each of its items, and a later item of few votes may be in an earlier tier. c
// is the least of some levels at which all claims that are made, of all groups, hold
// together with probability level.
func tiers(groups [][][]float64, weight []float64, level float64) [][]int {
	above := map[[3]int]float64{} // chances seen, which recur from level to level
	chance := func(g, a, b int) float64 {
		p, ok := above[[3]int{g, a, b}]
		if !ok {
			p = chanceAbove(groups[g][a], groups[g][b], weight)
			above[[3]int{g, a, b}] = p
		}
		return p
	}
	out := make([][]int, len(groups))
	for _, share := range claimShares {
		c, failing := 1-(1-level)*share, 0.0
		broken := make([]bool, len(weight)) // draws in which some claim does not hold
		for g, score := range groups {
			out[g] = out[g][:0]
			var first []int // items of the tiers
			for i := range score {
				tier := 0
				for ; tier < len(first) && chance(g, first[tier], i) >= c-rounding; tier++ {
					failing += breaks(broken, score[first[tier]], score[i], weight)
				}
				if tier == len(first) {
					first = append(first, i)
				}
				if out[g] = append(out[g], tier+1); failing > 1-level+rounding {
					break
				}
			}
		}
		if failing <= 1-level+rounding {
			break
		}
	}
	return out
}

// claimShares are the levels that are tried for one claim, as shares of the error that
// all claims together may have. At the last, claims hold in every draw.
var claimShares = []float64{1, 0.8, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.04, 0.02, 0.01, 0}

// rounding is that of sums of weights.
const rounding = 1e-9

// breaks marks the draws in which a is not above b and returns the weight of those that
// were not marked before.
func breaks(broken []bool, a, b, weight []float64) (sum float64) {
	for k, w := range weight {
		if !broken[k] && a[k] <= b[k] {
			broken[k] = true
			sum += w
		}
	}
	return sum
}

// chanceAbove returns the probability that a is above b.
func chanceAbove(a, b, w []float64) (p float64) {
	for k := range w {
		if a[k] > b[k] {
			p += w[k]
		}
	}
	return p
}
