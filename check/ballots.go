package check

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"palate"
)

// ballots are the votes that assumptions are tested by: decided ones that stand for
// themselves, in an order that does not depend on that of the files.
type ballots struct {
	items       []int // of the dataset, by name
	left, right []int32
	user        []int32   // −1 without; votes of one stand together
	when        []float64 // rank of the time, from −1 for the first to 1 for the last; 0 without
	y           []float64 // 1: left won
	sided       []bool
	timed       bool
	meetings    []meeting // of a voter and a pair, oriented alike
	pairs       []encounter
	pairOf      []int32 // of each vote
	triangles   [][3]side
}

// meeting is where votes of one voter on one pair stand, and which of them is looked at
// where one answer is enough.
type meeting struct{ from, to, one int }

// encounter is a pair of items, and how often it met.
type encounter struct {
	a, b  int32
	count float64
}

// side is a pair as one of a triangle's: turned where it goes round from b to a.
type side struct {
	pair   int
	turned bool
}

const (
	// mostBallots bounds how many votes are tested: of more, those of some voters.
	mostBallots = 10000
	// mostTriangles bounds how many triples of items are looked at, and mostCorners how
	// many pairs of an item's neighbours, the items with most votes first.
	mostTriangles = 20000
	mostCorners   = 2000000
)

// gather takes the votes to test. A weight that is a whole number is so many votes;
// votes with other weights, and those that follow from one answer, are left out.
func gather(ctx context.Context, d *palate.Dataset, sided func(vote int) bool, rng *rand.Rand) (*ballots, error) {
	type ballot struct {
		user, left, right int32 // by name
		won               palate.Outcome
		time              int64
		sided             bool
	}
	itemRank, userRank := ranks(d.NumItems(), d.ItemID), ranks(d.NumUsers(), d.UserID)
	var all []ballot
	perUser := make([]int, d.NumUsers())
	nameless := 0
	for k, v := range until(ctx, d.Votes()) {
		if v.Outcome > palate.Right || v.Group != 0 || v.Weight != float64(int(v.Weight)) {
			continue
		}
		b := ballot{user: -1, left: int32(itemRank[v.Left]), right: int32(itemRank[v.Right]), won: v.Outcome, sided: sided(k)}
		if v.User >= 0 {
			b.user = int32(userRank[v.User])
		}
		if !v.Time.IsZero() {
			b.time = v.Time.UnixMicro()
		}
		for range min(int(v.Weight), mostBallots) {
			all = append(all, b)
			if b.user >= 0 {
				perUser[b.user]++
			} else {
				nameless++
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(all) > mostBallots { // whole voters, and a share of the votes without
		taken, share := make([]bool, d.NumUsers()), float64(mostBallots)/float64(len(all))
		room := int(share * float64(len(all)-nameless))
		for _, u := range rng.Perm(d.NumUsers()) {
			if taken[u] = room > 0; taken[u] {
				room -= perUser[u]
			}
		}
		all = slices.DeleteFunc(all, func(b ballot) bool {
			if b.user >= 0 {
				return !taken[b.user]
			}
			return rng.Float64() >= share
		})
	}
	pairOf := func(b ballot) uint64 { return uint64(min(b.left, b.right))<<32 | uint64(max(b.left, b.right)) }
	slices.SortFunc(all, func(x, y ballot) int {
		sides := 0
		if x.sided != y.sided {
			sides = 1
			if y.sided {
				sides = -1
			}
		}
		return cmp.Or(cmp.Compare(x.user, y.user), cmp.Compare(pairOf(x), pairOf(y)), cmp.Compare(x.time, y.time),
			cmp.Compare(x.left, y.left), cmp.Compare(x.won, y.won), sides)
	})
	b := &ballots{}
	number := make([]int32, d.NumItems()) // of each item by name, from 1
	byName := make([]int, d.NumItems())
	for i, r := range itemRank {
		byName[r] = i
	}
	index := func(i int32) int32 {
		if number[i] == 0 {
			b.items = append(b.items, byName[i])
			number[i] = int32(len(b.items))
		}
		return number[i] - 1
	}
	times := make([]int64, 0, len(all))
	for k, v := range all {
		b.left, b.right, b.user, b.sided = append(b.left, index(v.left)), append(b.right, index(v.right)), append(b.user, v.user), append(b.sided, v.sided)
		b.y = append(b.y, 1-float64(v.won))
		if v.time != 0 {
			times = append(times, v.time)
		}
		if last := len(b.meetings) - 1; v.user >= 0 && k > 0 && all[k-1].user == v.user && pairOf(all[k-1]) == pairOf(v) {
			b.meetings[last].to = k + 1
		} else if v.user >= 0 {
			b.meetings = append(b.meetings, meeting{from: k, to: k + 1})
		}
	}
	for k, m := range b.meetings {
		b.meetings[k].one = m.from + rng.IntN(m.to-m.from)
	}
	slices.Sort(times)
	b.timed = len(times) > 1 && times[0] < times[len(times)-1]
	b.when = make([]float64, len(all))
	for k, v := range all {
		if v.time != 0 && b.timed {
			lo, _ := slices.BinarySearch(times, v.time)
			hi, _ := slices.BinarySearch(times, v.time+1)
			b.when[k] = float64(lo+hi-len(times)) / float64(len(times))
		}
	}
	b.meet()
	return b, ctx.Err()
}

// ranks returns the rank of each of n identifiers in the order of words.
func ranks(n int, id func(int) string) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(id(a), id(b)) })
	rank := make([]int, n)
	for r, i := range order {
		rank[i] = r
	}
	return rank
}

// fingerprint is a number of the votes' own: what is drawn for one file is not drawn for
// the next, whose luck would be the same.
func (b *ballots) fingerprint() uint64 {
	h := fnv.New64a()
	for k, y := range b.y {
		binary.Write(h, binary.LittleEndian, []int32{b.left[k], b.right[k], b.user[k], int32(y)})
	}
	return h.Sum64()
}

// meet finds the pairs that met, and triples of which all three did.
func (b *ballots) meet() {
	at := map[[2]int32]int{}
	votes := make([]int, len(b.items))
	for k := range b.y {
		l, r := b.left[k], b.right[k]
		votes[l]++
		votes[r]++
		key := [2]int32{min(l, r), max(l, r)}
		p, ok := at[key]
		if !ok {
			p = len(b.pairs)
			at[key] = p
			b.pairs = append(b.pairs, encounter{a: key[0], b: key[1]})
		}
		b.pairs[p].count++
		b.pairOf = append(b.pairOf, int32(p))
	}
	order := make([]int32, len(b.items))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return cmp.Compare(votes[j], votes[i]) })
	place := make([]int, len(order))
	for r, i := range order {
		place[i] = r
	}
	earlier := make([][]int32, len(order)) // neighbours with more votes
	for _, p := range b.pairs {
		x, y := p.a, p.b
		if place[x] < place[y] {
			x, y = y, x
		}
		earlier[x] = append(earlier[x], y)
	}
	edge := func(from, to int32) (side, bool) {
		p, ok := at[[2]int32{min(from, to), max(from, to)}]
		return side{p, from > to}, ok
	}
	corners := 0
	for _, i := range order {
		slices.SortFunc(earlier[i], func(x, y int32) int { return cmp.Compare(place[x], place[y]) })
		for k, j := range earlier[i] {
			for _, h := range earlier[i][:k] {
				if corners++; corners > mostCorners || len(b.triangles) == mostTriangles {
					return
				}
				if far, ok := edge(h, j); ok {
					out, _ := edge(i, h)
					back, _ := edge(j, i)
					b.triangles = append(b.triangles, [3]side{out, far, back})
				}
			}
		}
	}
}
