package server

import (
	"fmt"
	"time"

	"palate/model"
)

// When to refit: at once when what counts has changed, else when the votes since
// the last one are a twentieth of all, or after a while anyway.
const (
	refitShare = 20
	refitAfter = 5 * time.Second
	refitTick  = 100 * time.Millisecond
)

// refit goes round the boards in memory that are due, the one first whose last turn was longest
// ago: no board, be it voted on without end or one that cannot be fitted, keeps others waiting.
func (s *Service) refit() {
	s.work(func() func() error {
		s.release(time.Now())
		l := s.next(time.Now())
		if l == nil {
			if l = s.unsaved(time.Now()); l != nil {
				return func() error { return s.saveFit(l) }
			}
			return nil
		}
		return func() error {
			began := time.Now()
			defer func() { s.meter.refits.observe(time.Since(began)) }()
			if err := s.refitBoard(l); err != nil {
				return fmt.Errorf("refit of board %s: %w", l.id, err)
			}
			return nil
		}
	})
}

// work does what next finds, one thing after the other, and rests after each so
// long that all who work take no more than the stated share of a processor
// together.
func (s *Service) work(next func() func() error) {
	pause, busy := refitTick, false
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(pause):
		}
		if busy {
			s.workers.Add(-1)
		}
		pause = refitTick
		do := next()
		if busy = do != nil; !busy {
			continue
		}
		s.workers.Add(1)
		began := time.Now()
		if err := do(); err != nil && s.ctx.Err() == nil {
			s.log.Error("background work failed", "error", err)
			pause = time.Second
		}
		pause = max(pause, rest(time.Since(began), int(s.workers.Load()), s.options.Duty))
	}
}

// rest is how long one of some workers rests after work, so that all together take
// no more than their share.
func rest(worked time.Duration, workers int, duty float64) time.Duration {
	return time.Duration(float64(worked) * (float64(workers)/duty - 1))
}

// idle is how long a board stays in memory that nobody looks at.
const idle = 30 * time.Minute

// release lets go of boards that nobody has looked at for a while; the next one
// who does reads them again.
func (s *Service) release(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, e := range s.boards {
		select {
		case <-e.ready:
			if now.Sub(e.used) > idle && !s.hub.heard(id) {
				delete(s.boards, id)
			}
		default: // on its way
		}
	}
}

// next returns the board whose turn it is to be refitted, nil when none is due.
func (s *Service) next(now time.Time) *live {
	var first *live
	var oldest time.Time
	for _, l := range s.all() {
		l.mu.RLock()
		due, at := l.due(now), l.turn
		l.mu.RUnlock()
		if due && (first == nil || at.Before(oldest)) {
			first, oldest = l, at
		}
	}
	if first != nil {
		first.mu.Lock()
		first.turn = now
		first.mu.Unlock()
	}
	return first
}

// due reports whether a board is to be refitted.
func (l *live) due(now time.Time) bool {
	switch {
	case l.importing > 0: // once, when all of it is there
		return false
	case l.stale:
		return now.Sub(l.failed) > refitAfter
	}
	return l.pending > 0 && (l.pending*refitShare >= len(l.records) || now.Sub(l.fitted) > refitAfter)
}

// refitBoard fits a board's votes anew, puts what has come in meanwhile on top,
// and lets the result take the place of the model.
func (s *Service) refitBoard(l *live) error {
	l.fitting.Lock() // an older fit must not take the place of a newer one
	defer l.fitting.Unlock()
	s.awaitFollowed(l)
	if l.space != nil {
		return s.retune(l)
	}
	l.mu.Lock()
	m := l.read()
	l.stale = false // what changes from here on makes it so again
	whole, action := s.followed.Load() >= m.seq, s.heeded.Load()
	l.mu.Unlock()
	s.slow(refitting)
	var fit *model.Single
	var going learner
	var moving *model.Moving
	err := s.attempt(func() (err error) {
		if fit, going, err = s.fitSingle(m.sorted()); err == nil {
			moving, err = s.fitMoving(m)
		}
		return err
	})
	if err != nil {
		l.fails(time.Now())
		return err
	}
	most := newsOf(len(m.items))
	clock, learnt, stale := m.clock, 0, false
	for k := 0; fit != nil && k < 10; k++ {
		l.mu.RLock()
		n := l.since(clock)
		l.mu.RUnlock()
		if n.len() < 10 || n.len() > most {
			break
		}
		stale = n.teach(going, fit) || stale
		clock, learnt = n.clock, learnt+n.len()
	}
	now := time.Now()
	l.mu.Lock()
	switch {
	case l.changes != m.changes:
		l.stale = true
		l.mu.Unlock()
		return nil
	case fit == nil:
		err = l.begin(s.ctx)
	default:
		l.model, l.still, l.fit, l.moving, l.pending = going, nil, fit, moving, learnt
		l.stale = l.stale || stale
	}
	l.fitted = now
	l.version++
	if n := l.since(clock); n.len() > most {
		l.pending, l.stale = l.pending+n.len(), true
	} else {
		l.fold(n)
	}
	if whole && fit != nil {
		l.unsaved = &unsavedFit{fit, m.seq, action, now}
	}
	save := err == nil && l.unsaved != nil && now.Sub(l.saved) > saveEvery
	l.mu.Unlock()
	s.hub.send(Event{Board: l.id, Kind: Fitted})
	if save {
		return s.saveFit(l)
	}
	return err
}

// fails notes that a fit was not to be had: another is tried, but not at once.
func (l *live) fails(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale, l.failed = true, now
}

// awaitFollowed waits, a few looks at the store at most, until all votes up to the
// last one of a board are in memory: only then a fit can be saved, and after an
// import there may be none after it.
func (s *Service) awaitFollowed(l *live) {
	l.mu.RLock()
	seq := l.seq
	l.mu.RUnlock()
	for k := 0; k < 5 && s.followed.Load() < seq; k++ {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(s.options.Poll):
		}
	}
}

// fitSingle fits one utility for all; both are nil when there are no votes.
func (s *Service) fitSingle(m *moment) (*model.Single, learner, error) {
	d, err := m.dataset(nil)
	if err != nil || d.NumVotes() == 0 {
		return nil, nil, err
	}
	fit, err := model.FitSingle(s.ctx, d, &model.Options{Whole: true})
	if err == nil {
		err = s.ctx.Err() // a fit that was broken off takes no other's place
	}
	if err != nil {
		return nil, nil, err
	}
	going, err := goOn(s.ctx, fit)
	return fit, going, err
}
