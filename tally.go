package palate

import (
	"cmp"
	"iter"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// Tally counts equal votes: A beat B, or they tied (then A < B), Weight times.
type Tally struct {
	User   int // −1 when pooled over users, or unknown
	A, B   int
	Tie    bool
	Side   int     // 1 where A was shown left, −1 where it was right, 0 where that is not known or not told apart
	Class  int     // see Apart
	Weight float64 // sum of the weights of the votes
}

// Apart says what sets votes apart that have the same pair and outcome.
type Apart struct {
	Group []int32 // of every vote, which becomes the User of its tally; −1: none; nil: votes are pooled
	Sides bool    // on which the items were shown
	Class []int32 // of every vote, from 0; nil: they are of one
}

// denseRoom is the table size up to which pooled tallies are kept in an n×n table whatever the number of votes.
const denseRoom = 1 << 16

// Tallies collapses votes with the same pair and outcome, and the same user when perUser is true. Skips are
// left out. The tallies are in order of user, A, B, wins before ties; equal votes are summed in the order
// they were cast. The cost is linear in votes and items.
func (d *Dataset) Tallies(perUser bool) []Tally {
	if perUser {
		return d.TalliesApart(Apart{Group: d.votes.user})
	}
	return d.TalliesApart(Apart{})
}

// TalliesApart is Tallies with votes set apart by more: in order of group, A, B, wins before ties, side and class.
func (d *Dataset) TalliesApart(by Apart) []Tally {
	if n := d.NumItems(); by.Group == nil && by.Class == nil && by.sides()*n*n <= max(denseRoom, 4*d.NumVotes()) {
		return d.denseTallies(by)
	}
	return d.sortedTallies(by)
}

// sides is how many kinds of sides there are: unknown, A right, A left.
func (by Apart) sides() int {
	if by.Sides {
		return 3
	}
	return 1
}

// side tells on which side A of vote k is, as a number below sides.
func (by Apart) side(c *columns, k int, a int32) int {
	switch {
	case !by.Sides || c.unsided != nil && c.unsided[k]:
		return 0
	case c.left[k] == a:
		return 2
	}
	return 1
}

// sideOf is what Tally.Side calls it.
var sideOf = [3]int{0, -1, 1}

// winner returns vote k as winner, loser and tie, or false for what compares no two items.
func (c *columns) winner(k int) (a, b int32, tie, ok bool) {
	a, b = c.left[k], c.right[k]
	switch c.outcome[k] {
	case Right:
		a, b = b, a
	case Tie:
		return min(a, b), max(a, b), true, true
	case Skip, Rated:
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

// cell is that of vote k in a table with cells for win and tie, and for each of the sides, of each ordered pair of n
// items; −1 for a skip.
func (by Apart) cell(c *columns, k, n int) int {
	a, b, tie, ok := c.winner(k)
	if !ok {
		return -1
	}
	cell := 2 * (int(a)*n + int(b))
	if tie {
		cell++
	}
	if by.Sides {
		cell = by.sides()*cell + by.side(c, k, a)
	}
	return cell
}

// counted counts the votes in every cell, on all processors: sums of ones are the same in any order.
func (by Apart) counted(c *columns, n int, sum []float64) {
	parts := max(1, min(runtime.GOMAXPROCS(0), c.len()/(4*max(1, len(sum)))))
	counts := make([][]int32, parts)
	var all sync.WaitGroup
	for p := range counts {
		all.Go(func() {
			count := make([]int32, len(sum))
			for k := p * c.len() / parts; k < (p+1)*c.len()/parts; k++ {
				if cell := by.cell(c, k, n); cell >= 0 {
					count[cell]++
				}
			}
			counts[p] = count
		})
	}
	all.Wait()
	for _, count := range counts {
		for cell, x := range count {
			sum[cell] += float64(x)
		}
	}
}

// denseTallies accumulates in a table of cells.
func (d *Dataset) denseTallies(by Apart) []Tally {
	n, c, sides := d.NumItems(), &d.votes, by.sides()
	sum := make([]float64, 2*sides*n*n)
	if c.weight == nil {
		by.counted(c, n, sum)
	} else {
		for k := range c.byWeight() {
			if cell := by.cell(c, k, n); cell >= 0 {
				sum[cell] += c.weight[k]
			}
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
			kind := cell / sides
			pair := kind / 2
			tallies = append(tallies, Tally{User: -1, A: pair / n, B: pair % n, Tie: kind%2 == 1, Side: sideOf[cell%sides], Weight: w})
		}
	}
	return tallies
}

// ballot is a vote as the sort sees it.
type ballot struct {
	pair  uint64 // A, B, tie from the highest bits down
	user  int32  // −1 becomes 0
	class int32  // class and side, as one number
	vote  int32
}

// sortedTallies sorts the votes and sums runs of equal ones.
func (d *Dataset) sortedTallies(by Apart) []Tally {
	c, sides := &d.votes, by.sides()
	width := bits.Len(uint(d.NumItems()))
	ballots := make([]ballot, 0, c.len())
	var groups, classes int32
	for k := range c.byWeight() {
		a, b, tie, ok := c.winner(k)
		if !ok {
			continue
		}
		x := ballot{pair: (uint64(a)<<width | uint64(b)) << 1, vote: int32(k), class: int32(by.side(c, k, a))}
		if tie {
			x.pair |= 1
		}
		if by.Group != nil {
			x.user = by.Group[k] + 1
		}
		if by.Class != nil {
			x.class = int32(sides)*by.Class[k] + x.class
		}
		groups, classes = max(groups, x.user), max(classes, x.class)
		ballots = append(ballots, x)
	}
	room := make([]ballot, len(ballots))
	ballots, room = radixSort(ballots, room, bits.Len(uint(classes)), func(x *ballot) uint64 { return uint64(x.class) })
	ballots, room = radixSort(ballots, room, 2*width+1, func(x *ballot) uint64 { return x.pair })
	ballots, _ = radixSort(ballots, room, bits.Len(uint(groups)), func(x *ballot) uint64 { return uint64(x.user) })

	fresh := func(i int) bool {
		return i == 0 || ballots[i].pair != ballots[i-1].pair || ballots[i].user != ballots[i-1].user || ballots[i].class != ballots[i-1].class
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
			tallies = append(tallies, Tally{
				User: int(x.user) - 1, A: int(x.pair >> (width + 1)), B: int(x.pair >> 1 & (1<<width - 1)), Tie: x.pair&1 == 1,
				Side: sideOf[int(x.class)%sides], Class: int(x.class) / sides,
			})
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
