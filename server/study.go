package server

import (
	"context"
	"fmt"
	"sync"
	"time"

	"palate"
	"palate/model"
	"palate/store"
)

// studies are the models of a board that are learnt in the background when somebody
// asks for them, and again when there is enough news: the population of its voters,
// from which each is inferred, and one for each group of voters.
type studies struct {
	mu  sync.Mutex
	all map[string]*study // by group; the population under no name
}

// study is one of them.
type study struct {
	wanted bool // somebody has asked since it was begun last
	failed time.Time
	first  chan struct{} // closed when there is one
	last   learnt
}

// learnt is what came of a study: nothing before the first, and while nobody votes.
type learnt struct {
	population *model.Population
	group      *model.Single
	at         time.Time // up to when votes are in
	waiting    bool      // there is none yet
	records    int       // that it was learnt from
	changes    int64
}

// tasteShare is after how many votes, in proportion, a study is due again.
const tasteShare = 10

// learnt returns what is known of a group, or of the population, and has more learnt
// if that is due. The first is waited for, but not for long.
func (s *Service) learnt(l *live, group string) learnt {
	l.studies.mu.Lock()
	t := l.studies.of(group)
	t.wanted = true
	l.studies.mu.Unlock()
	select {
	case <-t.first:
	case <-time.After(patience):
	case <-s.ctx.Done():
	}
	return l.studies.read(t)
}

// read returns what came of a study so far.
func (x *studies) read(t *study) learnt {
	x.mu.Lock()
	defer x.mu.Unlock()
	return t.last
}

// of returns a study. The caller holds the lock.
func (x *studies) of(group string) *study {
	if x.all == nil {
		x.all = map[string]*study{}
	}
	if x.all[group] == nil {
		x.all[group] = &study{first: make(chan struct{})}
	}
	return x.all[group]
}

// learn goes round the studies that somebody has asked for, the one that has waited
// longest first.
func (s *Service) learn() {
	s.work(func() func() error {
		l, group := s.due(time.Now())
		if l == nil {
			return nil
		}
		return func() error { return s.study(l, group) }
	})
}

// due returns the study whose votes are the oldest of those that are due; nil when
// none is.
func (s *Service) due(now time.Time) (board *live, group string) {
	var oldest time.Time
	for _, l := range s.all() {
		l.mu.RLock()
		records, changes := len(l.records), l.changes
		l.mu.RUnlock()
		l.studies.mu.Lock()
		for name, t := range l.studies.all {
			if t.due(records, changes, now) && (board == nil || t.last.at.Before(oldest)) {
				board, group, oldest = l, name, t.last.at
			}
		}
		l.studies.mu.Unlock()
	}
	return board, group
}

func (t *study) due(records int, changes int64, now time.Time) bool {
	news := t.last.at.IsZero() || t.last.changes != changes || (records-t.last.records)*tasteShare > t.last.records
	return t.wanted && news && now.Sub(t.failed) > refitAfter
}

// study learns a group or the population of a board anew.
func (s *Service) study(l *live, group string) error {
	m := l.moment()
	l.studies.mu.Lock()
	t := l.studies.of(group)
	t.wanted = false
	l.studies.mu.Unlock()
	s.slow(learning)
	began := time.Now()
	var found learnt
	err := s.attempt(func() (err error) { found, err = m.study(s.ctx, group); return err })
	s.meter.populations.observe(time.Since(began))
	if err == nil {
		err = s.ctx.Err() // what was broken off takes no other's place
	}
	l.studies.mu.Lock()
	if err != nil {
		t.wanted, t.failed = true, time.Now()
		l.studies.mu.Unlock()
		return fmt.Errorf("population of board %s, group %q: %w", l.id, group, err)
	}
	if t.last.at.IsZero() {
		close(t.first)
	}
	t.last = found
	l.studies.mu.Unlock()
	l.mu.Lock()
	l.version++
	l.mu.Unlock()
	s.hub.send(Event{Board: l.id, Kind: Fitted})
	return nil
}

func (m *moment) study(ctx context.Context, group string) (found learnt, err error) {
	found = learnt{at: m.at, records: len(m.records), changes: m.changes}
	var chosen func(store.Voter) bool
	if group != "" {
		chosen = func(who store.Voter) bool { return who.Group == group }
	}
	d, err := m.dataset(chosen)
	if err != nil || d.NumVotes() == 0 {
		return found, err
	}
	if group != "" {
		found.group, err = model.FitSingle(ctx, d, &model.Options{Whole: true})
	} else {
		found.population, err = model.FitPopulation(ctx, d, &model.PopulationOptions{Whole: true})
	}
	return found, err
}

// taster returns a voter's own utilities: the voter's votes as they are now, folded
// into the population.
func (s *Service) taster(l *live, m *model.Population, voter string) (model.Predictor, error) {
	votes := l.own(voter, m)
	s.slow(folding)
	person, err := m.FoldIn(votes, nil)
	if err != nil {
		return nil, err
	}
	return person.Alone(), nil
}

// own returns a voter's standing votes that a population can take in. A voter whose
// votes do not count for others has a ranking of their own.
func (l *live) own(voter string, m *model.Population) (votes []palate.Vote) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	b := l.ballots[voter]
	if b == nil {
		return nil
	}
	for _, k := range b.records {
		v := l.vote(int(k))
		if v.Set != "" {
			if l.ended[v.Seq] == 0 {
				votes = append(votes, ownSet(v.Set, l.items, m, len(votes)+1)...)
			}
			continue
		}
		known := max(v.Left, v.Right) < m.NumItems()
		tie := v.Outcome == palate.Tie && m.Fit().Threshold == 0 // it has not learnt of ties yet
		if known && !tie && l.ended[v.Seq] == 0 && v.Outcome != palate.Skip {
			votes = append(votes, asVote(v))
		}
	}
	return votes
}

// ownSet returns the votes that follow from an answer about several items, as a group of a
// number, if a population can take all of them in.
func ownSet(s store.Set, items []store.Item, m *model.Population, group int) []palate.Vote {
	votes := setVotes(s, items)
	for k, v := range votes {
		if max(v.Left, v.Right) >= m.NumItems() || v.Outcome == palate.Tie && m.Fit().Threshold == 0 {
			return nil
		}
		votes[k].Weight, votes[k].Group = 1, group
	}
	return votes
}

// personal returns what to choose a voter's pairs by, as far as it has been learnt:
// nil for the consensus.
func (s *Service) personal(l *live, voter string) (model.Predictor, error) {
	l.mu.RLock()
	personal := l.about.Settings.Goal == Personal
	l.mu.RUnlock()
	if !personal {
		return nil, nil
	}
	l.studies.mu.Lock()
	t := l.studies.of("")
	t.wanted = true
	l.studies.mu.Unlock()
	from := l.studies.read(t)
	if from.population == nil {
		return nil, nil
	}
	return s.taster(l, from.population, voter)
}
