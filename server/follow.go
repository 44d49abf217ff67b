package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"palate/store"
)

// follow takes in what this and other processes write, for the boards in memory.
// A board is put among them before its votes are read, so that nothing falls
// between the two.
func (s *Service) follow(votes, actions int64) {
	tick := time.NewTicker(s.options.Poll)
	defer tick.Stop()
	away := false
	s.followed.Store(votes)
	s.heeded.Store(actions)
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		err := s.catchUp(&votes, &actions)
		switch {
		case s.ctx.Err() != nil:
			return
		case err != nil && !away:
			s.log.Error("the store cannot be read", "error", err)
		case err == nil && away:
			s.log.Info("the store can be read again")
		}
		away = err != nil
	}
}

func (s *Service) catchUp(votes, actions *int64) error {
	ctx, cancel := context.WithTimeout(s.ctx, 10*time.Second)
	defer cancel()
	// What was done first: votes may be on items that were added.
	some, err := s.store.Actions(ctx, "", *actions, page)
	if err != nil {
		return err
	}
	for _, a := range some {
		if l := s.loaded(a.Board); l != nil {
			if err := s.heed(ctx, l, a); err != nil {
				return err
			}
		}
		*actions = a.Seq
		s.heeded.Store(a.Seq)
	}
	for {
		*votes = s.own.past(*votes)
		some, err := s.store.Votes(ctx, "", *votes, page)
		if err != nil {
			return err
		}
		for _, v := range some {
			if l := s.loaded(v.Board); l != nil {
				l.mu.Lock()
				fresh := l.hear(v, true)
				l.mu.Unlock()
				if fresh {
					s.hub.send(Event{Board: v.Board, Kind: Voted, Seq: v.Seq})
				}
			}
			*votes = v.Seq
		}
		s.followed.Store(*votes)
		if len(some) < page {
			break
		}
	}
	return nil
}

// spans are runs of votes that this process stored and took in itself, which need not be
// read again.
type spans struct {
	mu  sync.Mutex
	all [][2]int64 // first and last, in order
}

// add takes note of votes that were stored in one go.
func (s *spans) add(votes []store.Vote) {
	if len(votes) == 0 {
		return
	}
	first, last := votes[0].Seq, votes[len(votes)-1].Seq
	if last-first+1 != int64(len(votes)) {
		return // others came between
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, [2]int64{first, last})
}

// past returns the last vote of the runs that a vote is in or just before.
func (s *spans) past(vote int64) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.all) > 0 && s.all[0][0] <= vote+1 {
		vote = max(vote, s.all[0][1])
		s.all = s.all[1:]
	}
	return vote
}

// heed takes in what was done to a board. One that is gone, or lost votes, is not kept in
// memory: whoever asks for it next reads it anew.
func (s *Service) heed(ctx context.Context, l *live, a store.Action) error {
	var err error
	switch a.Verb {
	case store.Erased:
	case addPoints:
		err = s.renewPoints(ctx, l)
	default:
		err = s.renew(ctx, l)
	}
	if errors.Is(err, store.ErrNotFound) || a.Verb == store.Erased && l.born < a.Seq {
		s.forget(l)
		return nil
	}
	return err
}

// forget lets go of a board.
func (s *Service) forget(l *live) {
	s.mu.Lock()
	if e := s.boards[l.id]; e != nil && e.live == l {
		delete(s.boards, l.id)
	}
	s.mu.Unlock()
	s.hub.send(Event{Board: l.id, Kind: Changed})
}

// renew reads a board again, its votes apart.
func (s *Service) renew(ctx context.Context, l *live) error {
	l.reading.Lock() // what was read earlier must not take the place of what was read later
	defer l.reading.Unlock()
	f, err := s.facts(ctx, l.id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	l.set(f)
	l.mu.Unlock()
	s.hub.send(Event{Board: l.id, Kind: Changed})
	return nil
}

// renewPoints reads the points of a board again, and nothing else: they come with every question,
// however many voters there are. Nobody is told, as points that were not answered about are shown
// to nobody but whom they are asked of.
func (s *Service) renewPoints(ctx context.Context, l *live) error {
	l.reading.Lock()
	defer l.reading.Unlock()
	items, err := s.store.Items(ctx, l.id)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(items) > len(l.items) && l.setItems(items) { // else they are known, or the board is gone
		l.version++
		l.changed()
	}
	return nil
}
