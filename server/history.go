package server

import (
	"iter"
	"slices"
	"time"

	"palate"
	"palate/store"
)

// nobody is the voter of votes whose voter is not known, as those of a file that
// names none. They are of many people, so that the law of one standing vote a pair
// says nothing of them.
const nobody = "nobody"

// history is what one voter did on a board.
type history struct {
	records      []int32 // of this voter, in the board's book, by Seq
	votes, skips int     // that stand
	sets         int     // votes about several items
	undone       int
	seq          int64 // the last record known of, undos too
}

// lease says that a voter is looking at a pair.
type lease struct {
	voter string
	until time.Time
}

// looking is how long a pair counts as being looked at.
const looking = 2 * time.Minute

// pairOf is the pair of a record, whichever side its items were shown on.
func pairOf(left, right int) [2]int { return [2]int{min(left, right), max(left, right)} }

func (b *history) count(v store.Vote, by int) {
	if v.Outcome == palate.Skip {
		b.skips += by
	} else {
		b.votes += by
	}
	if v.Set != "" {
		b.sets += by
	}
}

// note puts a record, at a place in the board's book, among those of the voter.
func (b *history) note(l *live, at int) {
	seq := l.records[at].seq
	b.seq = max(b.seq, seq)
	k := len(b.records)
	for k > 0 && l.records[b.records[k-1]].seq > seq { // another process's may come in late
		k--
	}
	b.records = slices.Insert(b.records, k, int32(at))
}

// said reports whether a voter has said something on a topic that stands. The caller holds
// the lock, for writing unless it is a pair.
func (l *live) said(voter string, of store.Topic) bool {
	who, known := l.voter[voter]
	if !known {
		return false
	}
	k, told := l.latest[l.duelOf(who, of)]
	return told && l.ended[l.records[k].seq] == 0
}

// pairs goes through the pairs that a voter was shown together and said something about that
// stands; those of several items may come more than once.
func (l *live) pairs(voter string) iter.Seq2[[2]int, int] {
	return func(yield func(pair [2]int, place int) bool) {
		b := l.ballots[voter]
		if b == nil {
			return
		}
		for _, k := range b.records {
			r := &l.records[k]
			if l.ended[r.seq] != 0 {
				continue
			}
			if !r.set {
				if !yield(r.pair(), int(k)) {
					return
				}
				continue
			}
			_, items, _ := l.sets[r.left].set.Parts()
			for a, i := range items {
				for _, j := range items[:a] {
					if !yield(pairOf(i, j), int(k)) {
						return
					}
				}
			}
		}
	}
}
