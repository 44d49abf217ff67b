package trial

import (
	"cmp"
	"fmt"
	"slices"

	"palate"
)

// Together are votes that are held out together, as one tells what the others say.
type Together struct {
	Of    []int // the number of every vote's answer, from 0; −1 of skips
	Count int
	// Rankings is how many rankings were found among votes that do not say that they
	// are of one.
	Rankings int
}

// Several returns how many voters gave more than one answer.
func (t Together) Several(d *palate.Dataset) (voters int) {
	first := make([]int, d.NumUsers())
	for u := range first {
		first[u] = -1
	}
	const counted = -2
	for k, v := range d.Votes() {
		switch a := t.Of[k]; {
		case a < 0 || v.User < 0 || first[v.User] == counted:
		case first[v.User] < 0:
			first[v.User] = a
		case first[v.User] != a:
			first[v.User] = counted
			voters++
		}
	}
	return voters
}

// String says what was found; it is empty where votes are on their own.
func (t Together) String() string {
	if t.Rankings == 0 {
		return ""
	}
	return fmt.Sprintf("votes are the pairs of %d rankings, which are held out whole", t.Rankings)
}

// What is taken for rankings that were given as pairs. Where rankings overlap they are not
// always found again, so that some votes may be left over: of those who may have ranked, as
// every vote of theirs is one of three about three items, less than one in fourteen (of votes
// on all pairs of five items or more, one in twenty of them against one order, it is twice
// that); and of all who cast three or more votes, half. Votes of somebody with more than
// mostRanked are not looked at.
const (
	leastRanked = 0.5
	sureRanked  = 0.93
	mostRanked  = 1000
)

// Votes are held out by pair where there are leastPairs or more, with mostLabels or fewer in
// the mean: of pairs with many, new votes are about pairs that are known.
const (
	leastPairs = 10
	mostLabels = 10
)

// Answers finds votes that follow from one answer: those of one group, the pairs of a
// ranking though nothing says so, and those of one voter about one pair. With pairs, all
// votes about a pair go together, whoever cast them, unless they are of a ranking, or there
// are many about each: labels of one pair may be copies of each other. Votes are gone through in order of their keys.
func Answers(d *palate.Dataset, keys *Keys, pairs bool) Together {
	t := Together{Of: make([]int, d.NumVotes())}
	number := map[[3]int]int{}
	join := func(key [3]int) int {
		n, ok := number[key]
		if !ok {
			n = t.Count
			number[key] = n
			t.Count++
		}
		return n
	}
	alone, different := make([][]int, d.NumUsers()+1), map[[2]int]bool{}
	for _, k := range keys.Votes(d) {
		t.Of[k] = -1
		v := d.Vote(k)
		switch {
		case v.Outcome == palate.Skip:
		case v.Group > 0:
			t.Of[k] = join([3]int{-2, v.Group, 0})
		default:
			u := v.User
			if u < 0 {
				u = d.NumUsers()
			}
			alone[u] = append(alone[u], k)
		}
	}
	for _, ranking := range rankings(d, alone[:d.NumUsers()]) {
		for _, k := range ranking {
			t.Of[k] = t.Count
		}
		t.Count++
		t.Rankings++
	}
	labels := 0
	for _, votes := range alone {
		for _, k := range votes {
			if v := d.Vote(k); t.Of[k] < 0 {
				different[[2]int{min(v.Left, v.Right), max(v.Left, v.Right)}] = true
				labels++
			}
		}
	}
	pairs = pairs && len(different) >= leastPairs && labels <= mostLabels*len(different)
	for _, votes := range alone {
		for _, k := range votes {
			if t.Of[k] >= 0 {
				continue
			}
			v := d.Vote(k)
			key := [3]int{v.User, min(v.Left, v.Right), max(v.Left, v.Right)}
			switch {
			case pairs:
				key[0] = -1
			case v.User < 0:
				key = [3]int{-3, k, 0}
			}
			t.Of[k] = join(key)
		}
	}
	return t
}

// rankings returns the votes of every ranking that voters gave as pairs; none where votes
// do not look like that.
func rankings(d *palate.Dataset, by [][]int) (all [][]int) {
	var votes, may, are int
	for _, own := range by {
		if len(own) < 3 {
			continue
		}
		votes += len(own)
		g := newGraph(d, own)
		if g == nil || !g.closed() {
			continue
		}
		may += len(own)
		found, rest := g.rankings()
		all = append(all, found...)
		are += len(own) - rest
	}
	if float64(are) < leastRanked*float64(votes) || float64(are) < sureRanked*float64(may) {
		return nil
	}
	return all
}

// graph is one voter's votes as arrows from winners to losers.
type graph struct {
	votes []int
	edges [][2]int // winner and loser, the items numbered from 0
	to    [][][]int
	used  []bool
}

// newGraph returns nil where somebody called ties, or voted too much to be looked at.
func newGraph(d *palate.Dataset, votes []int) *graph {
	if len(votes) > mostRanked {
		return nil
	}
	g := &graph{votes: votes, used: make([]bool, len(votes))}
	number := map[int]int{}
	local := func(item int) int {
		n, ok := number[item]
		if !ok {
			n = len(number)
			number[item] = n
		}
		return n
	}
	for _, k := range votes {
		v := d.Vote(k)
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		if v.Outcome == palate.Tie {
			return nil
		}
		g.edges = append(g.edges, [2]int{local(v.Left), local(v.Right)})
	}
	g.to = make([][][]int, len(number))
	for i := range g.to {
		g.to[i] = make([][]int, len(number))
	}
	for e, x := range g.edges {
		g.to[x[0]][x[1]] = append(g.to[x[0]][x[1]], e)
	}
	return g
}

// arrow returns an unused edge from one item to another, −1 where there is none.
func (g *graph) arrow(from, to int) int {
	for _, e := range g.to[from][to] {
		if !g.used[e] {
			return e
		}
	}
	return -1
}

// above reports whether i beat j in a vote that is not used.
func (g *graph) above(i, j int) bool { return g.arrow(i, j) >= 0 }

// thirds counts the items that were compared with both of an edge.
func (g *graph) thirds(e int) (n int) {
	i, j := g.edges[e][0], g.edges[e][1]
	for k := range g.to {
		if k != i && k != j && (g.above(i, k) || g.above(k, i)) && (g.above(j, k) || g.above(k, j)) {
			n++
		}
	}
	return n
}

// closed reports whether every edge is part of a triangle.
func (g *graph) closed() bool {
	for e := range g.edges {
		if g.thirds(e) == 0 {
			return false
		}
	}
	return true
}

// rankings parts the votes into orders of three items or more, each with all its pairs,
// and returns how many votes are left. It begins with votes that can be part of the
// smallest order only, as these are part of no other.
func (g *graph) rankings() (found [][]int, rest int) {
	type start struct{ edge, thirds int }
	var starts []start
	for e := range g.edges {
		starts = append(starts, start{e, g.thirds(e)})
	}
	slices.SortStableFunc(starts, func(a, b start) int { return cmp.Compare(a.thirds, b.thirds) })
	for _, s := range starts {
		if g.used[s.edge] {
			continue
		}
		order := g.grow(g.edges[s.edge])
		if len(order) < 3 {
			rest++
			continue
		}
		var votes []int
		for j, low := range order {
			for _, high := range order[:j] {
				e := g.arrow(high, low)
				g.used[e] = true
				votes = append(votes, g.votes[e])
			}
		}
		found = append(found, votes)
	}
	return found, rest
}

// grow puts items into an order of two as long as there are some that were compared with
// all of it and have a place in it, those first that leave most others a place.
func (g *graph) grow(pair [2]int) []int {
	order := []int{pair[0], pair[1]}
	for {
		var can []int
		for c := range g.to {
			if !slices.Contains(order, c) && g.place(order, c) >= 0 {
				can = append(can, c)
			}
		}
		if len(can) == 0 {
			return order
		}
		best, most := -1, -1
		for _, c := range can {
			n := 0
			for _, o := range can {
				if o != c && (g.above(c, o) || g.above(o, c)) {
					n++
				}
			}
			if n > most {
				best, most = c, n
			}
		}
		order = slices.Insert(order, g.place(order, best), best)
	}
}

// place returns where an item has its place in an order, −1 where it has none.
func (g *graph) place(order []int, c int) int {
	at := 0
	for at < len(order) && g.above(order[at], c) {
		at++
	}
	for _, o := range order[at:] {
		if !g.above(c, o) {
			return -1
		}
	}
	return at
}
