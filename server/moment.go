package server

import (
	"slices"
	"sort"
	"time"

	"palate"
	"palate/model"
	"palate/store"
	"palate/tune"
)

// moment is a board as it was at one time, to be read without its lock. It shares
// the lists that the board only appends to, or replaces: reading one off takes as
// long with a million votes as with none.
type moment struct {
	about store.Board
	space *tune.Space
	items []store.Item
	book
	ends    []ending
	undos   []int64
	met     []store.Voter
	at      time.Time
	clock   int
	seq     int64
	changes int64

	// What sorted makes of these lists.
	stood    []bool // by record
	people   map[string]store.Voter
	excluded []bool // by number of the voter in the book
}

// ending says which record, by its place, ceased to stand, and when.
type ending struct{ at, clock int }

// moment returns the board as it is now.
func (l *live) moment() *moment {
	l.mu.RLock()
	m := l.read()
	l.mu.RUnlock()
	return m.sorted()
}

// read reads a moment off. The caller holds the lock, and sorts it afterwards.
func (l *live) read() *moment {
	return &moment{
		about: l.about, space: l.space, items: l.items, book: book{slices.Clip(l.records), slices.Clip(l.names), slices.Clip(l.texts), slices.Clip(l.sets)}, ends: slices.Clip(l.ends), undos: slices.Clip(l.undos),
		met: slices.Clip(l.met), at: now(), clock: l.clock, seq: l.seq, changes: l.changes,
	}
}

// sorted makes out which records stand, and who is who.
func (m *moment) sorted() *moment {
	m.stood = make([]bool, len(m.records))
	for k := range m.stood {
		m.stood[k] = true
	}
	for _, e := range m.ends {
		m.stood[e.at] = false
	}
	m.people = make(map[string]store.Voter, len(m.met))
	for _, v := range m.met {
		m.people[v.ID] = v
	}
	m.excluded = make([]bool, len(m.names))
	for k, id := range m.names {
		m.excluded[k] = m.people[id].Excluded != ""
	}
	return m
}

// counts reports whether a record, by its place, bears on the ranking.
func (m *moment) counts(k int) bool {
	r := &m.records[k]
	if !m.stood[k] || m.excluded[r.voter] {
		return false
	}
	if r.set {
		return len(setVotes(m.sets[r.left].set, m.items)) > 0
	}
	return eligible(r.outcome, int(r.left), int(r.right), m.items)
}

// stands reports whether a record is an answer that was not taken back, nor
// replaced, by somebody who was not excluded; skips are such, too.
func (m *moment) stands(k int) bool {
	r := &m.records[k]
	return m.stood[k] && (r.outcome == palate.Skip && !m.excluded[r.voter] || m.counts(k))
}

// eligible reports whether a record of somebody whose votes count bears on the ranking as
// long as it stands.
func eligible(o palate.Outcome, left, right int, items []store.Item) bool {
	return o != palate.Skip && left < len(items) && right < len(items) && items[left].Excluded == "" && items[right].Excluded == ""
}

// dataset returns the votes that count, of some voters or of all when the choice
// is nil; those that follow from an answer about several items are a group. All items are
// in it, in order of their numbers.
func (m *moment) dataset(chosen func(store.Voter) bool) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	for _, i := range m.items {
		b.Item(i.ID)
	}
	b.SetItemFeatures(features(m.about, m.items, m.space))
	users := make([]int, len(m.names)) // in the dataset, from 1
	for k := range m.records {
		r := &m.records[k]
		if !m.counts(k) || chosen != nil && !chosen(m.people[m.names[r.voter]]) {
			continue
		}
		if users[r.voter] == 0 {
			users[r.voter] = b.User(m.names[r.voter]) + 1
		}
		at := time.UnixMicro(r.time).UTC()
		if r.set {
			group := b.NewGroup()
			for _, v := range setVotes(m.sets[r.left].set, m.items) {
				v.User, v.Weight, v.Time, v.Group = users[r.voter]-1, 1, at, group
				if err := b.Add(v); err != nil {
					return nil, err
				}
			}
			continue
		}
		vote := palate.Vote{User: users[r.voter] - 1, Left: int(r.left), Right: int(r.right), Outcome: r.outcome, Weight: 1, Time: at}
		if err := b.Add(vote); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// news is what a board heard after some time: votes to learn and to forget.
type news struct {
	clock         int // when that was read
	learn, forget []store.Vote
	items         []store.Item
}

func (n news) len() int { return len(n.learn) + len(n.forget) }

// since returns what has come in after a time. The caller holds the lock; it takes
// as long as there is news.
func (l *live) since(clock int) news {
	n := news{clock: l.clock, items: l.items}
	from := sort.Search(len(l.records), func(k int) bool { return l.records[k].clock > clock })
	for k := from; k < len(l.records); k++ {
		if v := l.vote(k); l.counts(v) {
			n.learn = append(n.learn, v)
		}
	}
	for k := len(l.ends) - 1; k >= 0 && l.ends[k].clock > clock; k-- {
		if e := l.ends[k]; e.at < from && l.eligible(l.vote(e.at)) {
			n.forget = append(n.forget, l.vote(e.at))
		}
	}
	return n
}

// teach folds news into a model, and reports whether only a refit can set it right:
// what was to be forgotten had not been learnt, an item is not known, or there is
// the first tie, whose margin is to be learnt.
func (n news) teach(m learner, fit *model.Single) (stale bool) {
	for _, v := range n.learn {
		stale = learn(m, fit, v, n.items) || stale
	}
	for _, v := range n.forget {
		stale = forget(m, v, n.items) || stale
	}
	return stale
}

// learn folds in one vote, and reports whether only a refit can. Of an answer about several
// items it is the pairs that follow from it, until the next fit reads it as what it is.
func learn(m learner, fit *model.Single, v store.Vote, items []store.Item) (stale bool) {
	noTies := fit != nil && fit.Fit().Threshold == 0
	if v.Set == "" {
		return m.Observe(asVote(v)) != nil || v.Outcome == palate.Tie && noTies
	}
	for _, pair := range setVotes(v.Set, items) {
		stale = m.Observe(pair) != nil || pair.Outcome == palate.Tie && noTies || stale
	}
	return stale
}

// forget takes one vote out, and reports whether only a refit can.
func forget(m learner, v store.Vote, items []store.Item) (stale bool) {
	if v.Set == "" {
		return m.Forget(asVote(v)) != nil
	}
	for _, pair := range setVotes(v.Set, items) {
		stale = m.Forget(pair) != nil || stale
	}
	return stale
}
