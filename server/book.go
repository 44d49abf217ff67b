package server

import (
	"sort"
	"time"

	"palate"
	"palate/store"
)

// book is the votes and skips of a board in memory, in the order in which they came in:
// 64 bytes each. It is only appended to, so that a copy of it can be read without a lock.
type book struct {
	records []record
	names   []string // of voters, by number in the book
	texts   []string // policies and reasons, by number in the book
	sets    []several
}

// several is what a record about several items has in place of two items.
type several struct {
	set         store.Set
	left, right int32
}

// record is one of them. Texts and voters are numbers in the book.
type record struct {
	seq, time, response int64 // times in microseconds
	propensity          float64
	clock               int // when it came in, see live.clock
	voter, left, right  int32
	policy, reason      int32
	outcome             palate.Outcome
	set                 bool // left is a number among the sets of the book
}

// pair is a record's, which is not about several items.
func (r *record) pair() [2]int { return pairOf(int(r.left), int(r.right)) }

// vote returns the record at a place as it is stored, but for its board and its key.
func (b *book) vote(k int) store.Vote {
	r := &b.records[k]
	v := store.Vote{
		Seq: r.seq, Voter: b.names[r.voter], Left: int(r.left), Right: int(r.right), Outcome: r.outcome, Reason: b.texts[r.reason],
		Policy: b.texts[r.policy], Propensity: r.propensity, Response: time.Duration(r.response) * time.Microsecond, Time: time.UnixMicro(r.time).UTC(),
	}
	if r.set {
		s := &b.sets[r.left]
		v.Left, v.Right, v.Set = int(s.left), int(s.right), s.set
	}
	return v
}

// scribe writes into a book, and finds what is there.
type scribe struct {
	book
	voter, text map[string]int32 // numbers
	order       []int32          // places of the records, by Seq
	// latest is the last record of a voter on a topic, and topics numbers those of several
	// items.
	latest map[duel]int32
	topics map[string]int32
}

// duel is a voter's pair, the lesser item first; of several items a is −1 less the number
// of their topic.
type duel struct{ voter, a, b int32 }

func newScribe() scribe {
	return scribe{voter: map[string]int32{}, text: map[string]int32{}, latest: map[duel]int32{}, topics: map[string]int32{}}
}

// duelOf returns a voter's topic.
func (s *scribe) duelOf(voter int32, of store.Topic) duel {
	if of.Set == "" {
		return duel{voter, int32(of.A), int32(of.B)}
	}
	k, known := s.topics[of.Set]
	if !known {
		k = int32(len(s.topics))
		s.topics[of.Set] = k
	}
	return duel{voter: voter, a: -1 - k}
}

// number returns that of a word in a list, which it is put at the end of when it is new.
func number(list *[]string, numbers map[string]int32, word string) int32 {
	k, known := numbers[word]
	if !known {
		k = int32(len(*list))
		*list = append(*list, word)
		numbers[word] = k
	}
	return k
}

// write appends a record and returns its place.
func (s *scribe) write(v store.Vote, clock int) int {
	at := len(s.records)
	r := record{
		seq: v.Seq, time: v.Time.UnixMicro(), response: v.Response.Microseconds(), propensity: v.Propensity, clock: clock,
		voter: number(&s.names, s.voter, v.Voter), left: int32(v.Left), right: int32(v.Right),
		policy: number(&s.texts, s.text, v.Policy), reason: number(&s.texts, s.text, v.Reason), outcome: v.Outcome,
	}
	if v.Set != "" {
		r.set, r.left = true, int32(len(s.sets))
		s.sets = append(s.sets, several{v.Set, int32(v.Left), int32(v.Right)})
	}
	s.records = append(s.records, r)
	k := len(s.order)
	for k > 0 && s.records[s.order[k-1]].seq > v.Seq { // another process's may come in late
		k--
	}
	s.order = append(s.order, 0)
	copy(s.order[k+1:], s.order[k:])
	s.order[k] = int32(at)
	return at
}

// find returns the place of a record by its Seq.
func (s *scribe) find(seq int64) (int, bool) {
	k := sort.Search(len(s.order), func(k int) bool { return s.records[s.order[k]].seq >= seq })
	if k == len(s.order) || s.records[s.order[k]].seq != seq {
		return 0, false
	}
	return int(s.order[k]), true
}

// room makes room for so many records.
func (s *scribe) room(n int) {
	s.records, s.order = make([]record, 0, n), make([]int32, 0, n)
	s.latest = make(map[duel]int32, n)
}
