package server

import (
	"bytes"
	"time"

	"palate"
	"palate/model"
	"palate/store"
)

// When to refit: at once when what counts has changed, else when the votes since
// the last one are a twentieth of all, or after a while anyway.
const (
	refitShare = 20
	refitAfter = 5 * time.Second
	refitTick  = 100 * time.Millisecond
	// saveEvery is the least time between two snapshots of a board.
	saveEvery = 30 * time.Second
)

// refit goes round the boards in memory, the one that needs it most first, and
// takes no more than the stated share of a processor.
func (s *Service) refit() {
	pause := refitTick
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = refitTick
		s.release(time.Now())
		l := s.neediest()
		if l == nil {
			continue
		}
		began := time.Now()
		if err := s.refitBoard(l); err != nil && s.ctx.Err() == nil {
			s.log.Error("refit failed", "board", l.id, "error", err)
			pause = time.Second
		}
		took := time.Since(began)
		s.meter.refits.observe(took)
		pause = max(pause, time.Duration(float64(took)*(1/s.options.Duty-1)))
	}
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

// neediest returns the board whose refit is most due, nil when none is.
func (s *Service) neediest() *live {
	var most *live
	var need float64
	for _, l := range s.all() {
		l.mu.RLock()
		x := l.need(time.Now())
		l.mu.RUnlock()
		if x > need {
			most, need = l, x
		}
	}
	return most
}

// need says how due a refit is, 0: not at all.
func (l *live) need(now time.Time) float64 {
	age := now.Sub(l.fitted)
	switch {
	case l.importing > 0: // once, when all of it is there
		return 0
	case l.stale:
		return 1e6 + float64(l.pending)
	case l.pending == 0:
		return 0
	case l.pending*refitShare >= len(l.records), age > refitAfter:
		return float64(l.pending)/float64(len(l.records)) + age.Seconds()/60
	}
	return 0
}

// refitBoard fits a board's votes anew, puts what has come in meanwhile on top,
// and lets the result take the place of the model.
func (s *Service) refitBoard(l *live) error {
	l.fitting.Lock() // an older fit must not take the place of a newer one
	defer l.fitting.Unlock()
	s.awaitFollowed(l)
	l.mu.Lock()
	d, err := l.dataset(nil)
	clock, seq, changes := l.clock, l.seq, l.changes
	l.stale = false // what changes from here on makes it so again
	whole, action := s.followed.Load() >= seq, s.heeded.Load()
	l.mu.Unlock()
	if err != nil {
		return err
	}
	fit, linked, err := s.fitSingle(d)
	now := time.Now()
	l.mu.Lock()
	if err != nil {
		l.stale = true
		l.mu.Unlock()
		return err
	}
	switch {
	case l.changes != changes:
		l.stale = true
		l.mu.Unlock()
		return nil
	case fit == nil:
		err = l.begin()
	default:
		l.model, l.fit, l.pending = linked, fit, 0
	}
	l.fitted = now
	l.version++
	l.learnSince(clock)
	save := whole && fit != nil && now.Sub(l.saved) > saveEvery
	if save {
		l.saved = now
	}
	l.mu.Unlock()
	s.hub.send(Event{Board: l.id, Kind: Fitted})
	if err == nil && save {
		return s.save(l.id, fit, seq, action, now)
	}
	return err
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
func (s *Service) fitSingle(d *palate.Dataset) (*model.Single, *model.Linked, error) {
	if d.NumVotes() == 0 {
		return nil, nil, nil
	}
	fit, err := model.FitSingle(s.ctx, d, nil)
	if err == nil {
		err = s.ctx.Err() // a fit that was broken off takes no other's place
	}
	if err != nil {
		return nil, nil, err
	}
	linked, err := fit.Online()
	return fit, linked, err
}

// save keeps a fit that can be read back, to start from after a restart.
func (s *Service) save(board string, fit *model.Single, seq, action int64, at time.Time) error {
	var file bytes.Buffer
	if err := fit.Save(&file); err != nil {
		return err
	}
	if _, err := model.Open(bytes.NewReader(file.Bytes()), int64(file.Len())); err != nil {
		return err
	}
	return s.store.PutSnapshot(s.ctx, store.Snapshot{Board: board, Kind: "single", Seq: seq, Action: action, Bytes: file.Bytes(), Time: at})
}

// dataset returns the votes that count, of some voters or of all when the choice
// is nil. All items are in it, in order of their numbers.
func (l *live) dataset(chosen func(store.Voter) bool) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	for _, i := range l.items {
		b.Item(i.ID)
	}
	b.SetItemFeatures(l.features())
	for _, v := range l.records {
		if !l.counts(v) || chosen != nil && !chosen(l.people[v.Voter]) {
			continue
		}
		vote := asVote(v)
		vote.User = b.User(v.Voter)
		if err := b.Add(vote); err != nil {
			return nil, err
		}
	}
	return b.Build()
}
