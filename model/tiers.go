package model

// tiers sorts the items of groups, best first, into tiers of their group by joint draws of
// their scores, one list of draws an item. An item goes below the first item of a tier
// only where that one is above it with probability c, and stays in the first tier where
// it is not; an item that is below the first items of all tiers begins another. A tier is
// thus a claim about each of its items, and a later item of few votes may be in an
// earlier tier. c is about the least at which all claims that are made, of all groups,
// hold together with probability level.
func tiers(groups [][][]float64, weight []float64, level float64) [][]int {
	t := &tiering{groups, weight, level, map[[3]int]float64{}}
	held, broken := 1.0, 1.0 // c as the share of the error that all claims together may have
	best, ok := t.at(held)
	for !ok {
		if broken = held; held > leastShare {
			held /= 2
		} else {
			held = 0
		}
		best, ok = t.at(held)
	}
	for broken-held > shareStep*broken {
		middle := (held + broken) / 2
		if at, ok := t.at(middle); ok {
			best, held = at, middle
		} else {
			broken = middle
		}
	}
	return best
}

// Below the least share claims are to hold in every draw; and how near to one at which
// they do not hold together the share comes.
const (
	leastShare = 0.01
	shareStep  = 0.04
)

// tiering is what tiers are made from.
type tiering struct {
	groups [][][]float64
	weight []float64
	level  float64
	above  map[[3]int]float64 // chances seen, which recur from share to share
}

// at returns the tiers where one claim may have a share of the error that all may have,
// and whether they hold together.
func (t *tiering) at(share float64) (tiers [][]int, hold bool) {
	c, failing := 1-(1-t.level)*share, 0.0
	broken := make([]bool, len(t.weight)) // draws in which some claim does not hold
	for g, score := range t.groups {
		var of, first []int // tiers of the items, and first items of the tiers
		for i := range score {
			tier := 0
			for ; tier < len(first) && t.chance(g, first[tier], i) >= c-rounding; tier++ {
				failing += breaks(broken, score[first[tier]], score[i], t.weight)
			}
			if tier == len(first) {
				first = append(first, i)
			}
			if of = append(of, tier+1); failing > 1-t.level+rounding {
				return nil, false
			}
		}
		tiers = append(tiers, of)
	}
	return tiers, true
}

// chance is that item a of a group is above b.
func (t *tiering) chance(g, a, b int) float64 {
	p, ok := t.above[[3]int{g, a, b}]
	if !ok {
		p = chanceAbove(t.groups[g][a], t.groups[g][b], t.weight)
		t.above[[3]int{g, a, b}] = p
	}
	return p
}

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
