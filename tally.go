package palate

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
)

// Tally counts equal votes: A beat B, or they tied (then A < B), Weight times.
type Tally struct {
	User   int // −1 when pooled over users, or unknown
	A, B   int
	Tie    bool
	Weight float64 // sum of the weights of the votes
}

// denseRoom is the table size up to which pooled tallies are kept in an n×n table whatever the number of votes.
const denseRoom = 1 << 16

// Tallies collapses votes with the same pair and outcome, and the same user when perUser is true. Skips are
// left out. The tallies are in order of user, A, B, wins before ties; equal votes are summed in the order
// they were cast. The cost is linear in votes and items.
func (d *Dataset) Tallies(perUser bool) []Tally {
	n := d.NumItems()
	if !perUser || d.votes.user == nil {
		if n*n <= max(denseRoom, 4*d.NumVotes()) {
			return d.denseTallies()
		}
		return d.sortedTallies(false)
	}
	return d.sortedTallies(true)
}

// winner returns vote k as winner, loser and tie, or false for a skip.
func (c *columns) winner(k int) (a, b int32, tie, ok bool) {
	a, b = c.left[k], c.right[k]
	switch c.outcome[k] {
	case Right:
		a, b = b, a
	case Tie:
		return min(a, b), max(a, b), true, true
	case Skip:
		return 0, 0, false, false
	}
	return a, b, false, true
}

// byWeight goes through the votes, light ones first, so that sums of weights do not hang on the order of the votes.
func (c *columns) byWeight() iter.Seq[int] {
	return func(yield func(int) bool) {
		var order []int
		if c.weight != nil {
			order = make([]int, c.len())
			for k := range order {
				order[k] = k
			}
			slices.SortFunc(order, func(a, b int) int { return cmp.Compare(c.weight[a], c.weight[b]) })
		}
		for k := range c.len() {
			if order != nil {
				k = order[k]
			}
			if !yield(k) {
				return
			}
		}
	}
}

// denseTallies accumulates in a table with two cells, win and tie, for each ordered pair.
func (d *Dataset) denseTallies() []Tally {
	n, c := d.NumItems(), &d.votes
	sum := make([]float64, 2*n*n)
	for k := range c.byWeight() {
		a, b, tie, ok := c.winner(k)
		if !ok {
			continue
		}
		cell := 2 * (int(a)*n + int(b))
		if tie {
			cell++
		}
		if c.weight == nil {
			sum[cell]++
		} else {
			sum[cell] += c.weight[k]
		}
	}
	distinct := 0
	for _, w := range sum {
		if w > 0 {
			distinct++
		}
	}
	tallies := make([]Tally, 0, distinct)
	for cell, w := range sum {
		if w > 0 {
			pair := cell / 2
			tallies = append(tallies, Tally{User: -1, A: pair / n, B: pair % n, Tie: cell%2 == 1, Weight: w})
		}
	}
	return tallies
}

// ballot is a vote as the sort sees it.
type ballot struct {
	pair uint64 // A, B, tie from the highest bits down
	user int32  // −1 becomes 0
	vote int32
}

// sortedTallies sorts the votes and sums runs of equal ones.
func (d *Dataset) sortedTallies(perUser bool) []Tally {
	c := &d.votes
	width := bits.Len(uint(d.NumItems()))
	ballots := make([]ballot, 0, c.len())
	for k := range c.byWeight() {
		a, b, tie, ok := c.winner(k)
		if !ok {
			continue
		}
		x := ballot{pair: (uint64(a)<<width | uint64(b)) << 1, vote: int32(k)}
		if tie {
			x.pair |= 1
		}
		if perUser {
			x.user = c.user[k] + 1
		}
		ballots = append(ballots, x)
	}
	room := make([]ballot, len(ballots))
	ballots, room = radixSort(ballots, room, 2*width+1, func(x *ballot) uint64 { return x.pair })
	if perUser {
		ballots, _ = radixSort(ballots, room, bits.Len(uint(d.NumUsers())), func(x *ballot) uint64 { return uint64(x.user) })
	}

	fresh := func(i int) bool {
		return i == 0 || ballots[i].pair != ballots[i-1].pair || ballots[i].user != ballots[i-1].user
	}
	distinct := 0
	for i := range ballots {
		if fresh(i) {
			distinct++
		}
	}
	tallies := make([]Tally, 0, distinct)
	for i, x := range ballots {
		if fresh(i) {
			t := Tally{User: -1, A: int(x.pair >> (width + 1)), B: int(x.pair >> 1 & (1<<width - 1)), Tie: x.pair&1 == 1}
			if perUser {
				t.User = int(x.user) - 1
			}
			tallies = append(tallies, t)
		}
		w := 1.0
		if c.weight != nil {
			w = c.weight[x.vote]
		}
		tallies[len(tallies)-1].Weight += w
	}
	return tallies
}

// radixSort sorts x stably by the low bits of a key, in passes over eleven bits each: few enough that the
// heads of all buckets stay in the nearest cache. It returns x and room, exchanged after an odd number of passes.
func radixSort(x, room []ballot, width int, key func(*ballot) uint64) (sorted, spare []ballot) {
	const digit = 11
	for shift := 0; shift < width; shift += digit {
		var start [1<<digit + 1]int
		for i := range x {
			start[key(&x[i])>>shift&(1<<digit-1)+1]++
		}
		for i := range 1 << digit {
			start[i+1] += start[i]
		}
		for i := range x {
			to := &start[key(&x[i])>>shift&(1<<digit-1)]
			room[*to] = x[i]
			*to++
		}
		x, room = room, x
	}
	return x, room
}
