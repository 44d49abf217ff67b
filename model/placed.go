package model

import (
	"cmp"
	"math"
	"slices"
)

// placed is a number with its place in a list.
type placed struct {
	x  float64
	at int
}

// key orders as the numbers do.
func (p placed) key() uint64 {
	b := math.Float64bits(p.x + 0) // −0 is 0
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

// before orders a and b: by numbers, and where these are equal by places.
func before(a, b placed) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.at, b.at)) }

// fewPlaced is the length up to which comparing beats counting.
const fewPlaced = 1500

// sortPlaced sorts a list whose places ascend by its numbers, those that are equal by their places. It
// returns it in either of the two, which are of one length. Many are brought into the order of their
// first bits by counting, digit after digit, which leaves little to compare.
func sortPlaced(list, room []placed) []placed {
	if len(list) <= fewPlaced {
		slices.SortFunc(list, before)
		return list
	}
	const digit, digits = 11, 3
	const rest = 64 - digit*digits
	var start [digits][1 << digit]int32
	for _, p := range list {
		key := p.key() >> rest
		for d := range start {
			start[d][key>>(d*digit)&(1<<digit-1)]++
		}
	}
	for d := range start {
		count, sum := &start[d], int32(0)
		for k, n := range count {
			count[k] = sum
			sum += n
		}
		for _, p := range list {
			to := &count[p.key()>>(rest+d*digit)&(1<<digit-1)]
			room[*to] = p
			*to++
		}
		list, room = room, list
	}
	for i := 1; i < len(list); i++ {
		p, k := list[i], i
		for ; k > 0 && (list[k-1].x > p.x || list[k-1].x == p.x && list[k-1].at > p.at); k-- {
			list[k] = list[k-1]
		}
		list[k] = p
	}
	return list
}
