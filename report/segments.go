package report

import (
	"fmt"
	"strings"
)

// segments says how many segments voters come in, with which probability, and with which other
// numbers are likely; 0 where nothing is known of that. chances are those of one, two and more.
func segments(chances []float64) (number int, likely, others string) {
	if len(chances) < 2 {
		return 0, "", ""
	}
	best := 0
	for k, p := range chances {
		if p > chances[best] {
			best = k
		}
	}
	var rest []string
	for k, p := range chances {
		if k != best && p >= 0.005 {
			rest = append(rest, fmt.Sprintf("%d with %s", k+1, chance(p)))
		}
	}
	if rest != nil {
		others = "; " + strings.Join(rest, ", ")
	}
	return best + 1, "with a probability of " + chance(chances[best]), others
}
