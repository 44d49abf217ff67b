package ingest

import (
	"math/rand/v2"
	"slices"

	"palate"
)

// graded are items that one voter put in order in one answer: the higher grade is the better item.
type graded struct {
	grades []float64
	ties   bool // equal grades are ties; otherwise they say nothing
	rest   int  // the last so many are below all others, and nothing is said of them among themselves
}

// ranked is how many items have a grade of their own.
func (g *graded) ranked() int { return len(g.grades) - g.rest }

// pairs returns how many votes there are in the answer.
func (g *graded) pairs() int {
	n := g.ranked()
	total := n*(n-1)/2 + n*g.rest
	if g.ties {
		return total
	}
	sorted := slices.Sorted(slices.Values(g.grades[:n]))
	for from := 0; from < n; {
		to := from + 1
		for to < n && sorted[to] == sorted[from] {
			to++
		}
		total -= (to - from) * (to - from - 1) / 2
		from = to
	}
	return total
}

// compare calls vote for every pair, the better item on the left. Of more pairs than most it takes that many
// and returns true: the items stand in a circle in random order, and each is compared with its neighbours at
// distance one, then two, and so on, which gives all items the same share.
func (g *graded) compare(most int, rng func() *rand.Rand, vote func(left, right int, o palate.Outcome)) (sampled bool) {
	n := len(g.grades)
	cast := func(i, j int) bool {
		switch a, b := g.grades[i], g.grades[j]; {
		case a > b:
			vote(i, j, palate.Left)
		case a < b:
			vote(j, i, palate.Left)
		case g.ties && max(i, j) < g.ranked():
			vote(min(i, j), max(i, j), palate.Tie)
		default:
			return false
		}
		return true
	}
	if g.pairs() <= most {
		for i := range n {
			for j := i + 1; j < n; j++ {
				cast(i, j)
			}
		}
		return false
	}
	circle := rng().Perm(n)
	for distance, taken := 1, 0; distance <= n/2; distance++ {
		for k, i := range circle {
			if 2*distance == n && k >= distance { // the other half has been there
				return true
			}
			if cast(i, circle[(k+distance)%n]) {
				if taken++; taken == most {
					return true
				}
			}
		}
	}
	return true
}
