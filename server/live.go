package server

import (
	"sync"
	"time"

	"palate"
	"palate/model"
	"palate/store"
	"palate/tune"
)

// live is a board in memory: its votes, and the model that they make.
type live struct {
	id string

	fitting sync.Mutex   // held by the one who refits
	acting  sync.Mutex   // held by the one who adds or takes away what there are so many of at most, or at least
	reading sync.Mutex   // held by the one who reads what is known but the votes
	mu      sync.RWMutex // guards what follows
	about   store.Board
	items   []store.Item // replaced, never changed
	number  map[string]int
	people  map[string]store.Voter // by ID
	met     []store.Voter          // all of people; appended to or replaced
	subject map[string]string      // ID by Subject
	owners  []store.Owner          // further owners
	born    int64                  // the last action of any board before it was read
	// The votes and skips. Their clock is when they came in, and ended, by Seq, when they
	// ceased to stand, taken back or followed by another answer: both count everything
	// that came in, from 1.
	scribe
	ended   map[int64]int
	ends    []ending       // what ended has, in order; only appended to
	undone  map[int64]bool // by Seq: what was taken back
	undos   []int64        // what undone has, in order; only appended to
	heard   map[int64]bool // by Seq: the records that took something back
	clock   int
	ballots map[string]*history // by voter
	leases  map[[2]int]lease
	seq     int64 // the last vote known of
	version int64 // changes with everything that a leaderboard shows

	space *tune.Space // of a board of points; nil: it is a list of items
	tuned *tuned      // the search of its points

	model  learner         // vote by vote
	freeze sync.Mutex      // guards still, for those who only read
	still  model.Predictor // the model as it is now, if somebody has asked for it
	// The last refit: what it was made from, when it ended, and what it gave; nil
	// before the first.
	fit     *model.Single
	moving  *model.Moving // of the same votes, where utilities may move; changed with freeze held as well
	fitted  time.Time
	pending int // votes since
	// turn is when it was last this board's turn to be refitted, failed when that failed.
	turn, failed time.Time
	// changes counts what makes a model of the votes another one: exclusions, items.
	changes   int64
	importing int       // files that are being stored by this process
	stale     bool      // something of that kind has happened since the last refit
	saved     time.Time // when the last snapshot was tried
	unsaved   *unsavedFit

	boards  views[*Leaderboard]
	matrix  cached[*Matrix]
	trust   cached[[]Check]
	studies studies
}

// set takes facts over. The caller holds the lock, or is alone.
func (l *live) set(f facts) {
	changed := l.setItems(f.items) || f.board.Settings.Over != l.about.Settings.Over
	people := make(map[string]store.Voter, len(f.voters))
	for _, v := range f.voters {
		people[v.ID] = v
		if v.Subject != "" {
			l.subject[v.Subject] = v.ID
		}
		changed = changed || v.Excluded != l.people[v.ID].Excluded
	}
	l.about, l.people, l.met, l.owners = f.board, people, f.voters, f.owners
	l.version++
	if changed {
		l.changed()
	}
}

// changed notes that a model of the votes is another one now. The caller holds the lock.
func (l *live) changed() {
	l.changes++
	l.stale = true
}

// setItems takes items over, and reports whether that makes a model of the votes another one;
// points come with every question. The caller holds the lock, or is alone.
func (l *live) setItems(items []store.Item) (changed bool) {
	changed = l.space == nil && len(items) != len(l.items)
	number := make(map[string]int, len(items))
	for k, i := range items {
		number[i.ID] = k
		changed = changed || k < len(l.items) && i.Excluded != l.items[k].Excluded
	}
	l.items, l.number = items, number
	if t, points := l.model.(*tried); points {
		l.model, l.still = t.with(l.items), nil
	}
	return changed
}

// fold teaches the model news.
func (l *live) fold(n news) {
	l.still = nil
	l.pending += n.len()
	l.stale = n.teach(l.model, l.fit) || l.stale
}

// frozen returns the model as it is now, which nothing changes any more. The caller
// holds the lock. A copy is made once a vote at most, and costs what folding it in
// does.
func (l *live) frozen() model.Predictor {
	l.freeze.Lock()
	defer l.freeze.Unlock()
	if l.still == nil {
		l.still = frozen(l.model)
	}
	return l.still
}

// take puts a record into the board's lists, once, and reports whether it was
// new. Records may come in in any order: what stands in the end is the same. The
// caller holds the lock, or is alone.
func (l *live) take(v store.Vote, learn bool) bool {
	if v.Seq <= l.seq && (l.heard[v.Seq] || l.has(v.Seq)) {
		return false
	}
	l.clock++
	l.version++
	l.seq = max(l.seq, v.Seq)
	b := l.ballot(v.Voter)
	if v.Undoes != 0 {
		b.seq = max(b.seq, v.Seq)
		l.heard[v.Seq] = true
		if l.undone[v.Undoes] {
			return true
		}
		l.undone[v.Undoes] = true
		l.undos = append(l.undos, v.Undoes)
		if k, known := l.find(v.Undoes); known { // else it does not stand when it comes in
			b.undone++
			l.end(b, k, learn)
		}
		return true
	}
	at := l.write(v, l.clock)
	b.note(l, at)
	stands := true
	if v.Voter != nobody {
		of := l.duelOf(l.records[at].voter, v.Topic())
		old, told := l.latest[of]
		stands = !told || l.records[old].seq < v.Seq
		if stands {
			if told {
				l.end(b, int(old), learn)
			}
			l.latest[of] = int32(at)
		}
	}
	if l.undone[v.Seq] {
		b.undone++
		stands = false
	}
	if !stands {
		l.note(at)
		return true
	}
	b.count(v, 1)
	if learn && l.eligible(v) {
		l.learn(v)
	}
	return true
}

// has reports whether there is a record of a Seq.
func (l *live) has(seq int64) bool {
	_, known := l.find(seq)
	return known
}

// hear takes a record that this process did not write. Those of files come by the
// thousand: a refit is quicker than folding them in.
func (l *live) hear(v store.Vote, learn bool) bool {
	fresh := l.take(v, learn && v.Policy != imports)
	if fresh && v.Policy == imports {
		l.stale = true
	}
	return fresh
}

// end makes a record not stand any more.
func (l *live) end(b *history, at int, learn bool) {
	v := l.vote(at)
	if l.ended[v.Seq] != 0 {
		return
	}
	l.note(at)
	b.count(v, -1)
	if learn && l.eligible(v) {
		l.forget(v)
	}
}

// note takes down that a record does not stand from now on.
func (l *live) note(at int) {
	l.ended[l.records[at].seq] = l.clock
	l.ends = append(l.ends, ending{at, l.clock})
}

// forget takes a vote out of the model.
func (l *live) forget(v store.Vote) {
	l.pending++
	l.still = nil
	l.stale = forget(l.model, v, l.items) || l.stale
}

// learn folds in one vote.
func (l *live) learn(v store.Vote) {
	l.pending++
	l.still = nil
	l.stale = learn(l.model, l.fit, v, l.items) || l.stale
}

func asVote(v store.Vote) palate.Vote {
	return palate.Vote{User: -1, Left: v.Left, Right: v.Right, Outcome: v.Outcome, Weight: 1, Time: v.Time}
}

func (l *live) ballot(voter string) *history {
	b := l.ballots[voter]
	if b == nil {
		b = &history{}
		l.ballots[voter] = b
	}
	return b
}

// counts reports whether a record bears on the ranking.
func (l *live) counts(v store.Vote) bool { return l.ended[v.Seq] == 0 && l.eligible(v) }

// eligible reports whether it does as long as it stands.
func (l *live) eligible(v store.Vote) bool {
	return l.people[v.Voter].Excluded == "" && (v.Set == "" && eligible(v.Outcome, v.Left, v.Right, l.items) || v.Set != "" && len(setVotes(v.Set, l.items)) > 0)
}
