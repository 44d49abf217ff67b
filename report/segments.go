package report

// likely is a number of segments with its probability.
type likely struct {
	n int
	p float64
}

// segments says how many segments voters come in, with its probability, then which other
// numbers are likely; 0 where nothing is known of that. chances are those of one, two and more.
func segments(chances []float64) (number int, all []likely) {
	if len(chances) < 2 {
		return 0, nil
	}
	best := 0
	for k, p := range chances {
		if p > chances[best] {
			best = k
		}
	}
	all = []likely{{best + 1, chances[best]}}
	for k, p := range chances {
		if k != best && p >= 0.005 {
			all = append(all, likely{k + 1, p})
		}
	}
	return best + 1, all
}

// otherSegments says which other numbers of segments are likely.
func (s speech) otherSegments(all []likely) (says string) {
	for _, c := range all[1:] {
		says += s.Say("fact-segments-other", s.Count(c.n), s.Chance(c.p))
	}
	return says
}
