package server

import (
	"slices"
	"time"

	"palate"
	"palate/active"
	"palate/store"
)

// ballot is what one voter did on a board.
type ballot struct {
	seen         active.Pairs // answered or skipped, and not taken back
	records      []int        // of this voter, in the board's list
	votes, skips int          // that stand
	undone       int
}

// lease says that a voter is looking at a pair.
type lease struct {
	voter string
	until time.Time
}

// looking is how long a pair counts as being looked at.
const looking = 2 * time.Minute

// cast takes a record, at a place in the list, into account.
func (b *ballot) cast(v store.Vote, at int) {
	b.records = append(b.records, at)
	b.seen.Add(v.Left, v.Right)
	b.count(v, 1)
}

func (b *ballot) count(v store.Vote, by int) {
	if v.Outcome == palate.Skip {
		b.skips += by
	} else {
		b.votes += by
	}
}

// takeBack takes an earlier record out of account. The pair may be asked again,
// unless another record that stands is of the same pair.
func (b *ballot) takeBack(l *live, v store.Vote) {
	b.count(v, -1)
	b.undone++
	again := slices.ContainsFunc(b.records, func(k int) bool {
		o := l.records[k]
		return o.Seq != v.Seq && l.undone[o.Seq] == 0 && min(o.Left, o.Right) == min(v.Left, v.Right) && max(o.Left, o.Right) == max(v.Left, v.Right)
	})
	if !again {
		b.seen.Remove(v.Left, v.Right)
	}
}
