package active

// Allocate deals pairs out to judges, of whom the pairs are known that each has answered. It
// returns the judge of every pair, or −1 where all have answered it. Nobody answers a pair
// twice, and a pair goes to one with the fewest pairs so far, of these to one who has met its
// items the least often, so that what a judge is like falls on all items alike.
func Allocate(pairs []Pair, answered []Pairs) []int {
	type load struct {
		pairs int
		items map[int]int
	}
	loads := make([]load, len(answered))
	for j := range loads {
		loads[j].items = map[int]int{}
	}
	dealt := make([]int, len(pairs))
	for k, p := range pairs {
		met := func(j int) int { return loads[j].items[p.Left] + loads[j].items[p.Right] }
		best := -1
		for j := range loads {
			switch {
			case answered[j].Has(p.Left, p.Right):
			case best < 0, loads[j].pairs < loads[best].pairs, loads[j].pairs == loads[best].pairs && met(j) < met(best):
				best = j
			}
		}
		if dealt[k] = best; best >= 0 {
			loads[best].pairs++
			loads[best].items[p.Left]++
			loads[best].items[p.Right]++
		}
	}
	return dealt
}
