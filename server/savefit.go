package server

import (
	"bytes"
	"time"

	"palate/model"
	"palate/store"
)

// saveEvery is the least time between two snapshots of a board.
const saveEvery = 30 * time.Second

// unsavedFit is the last fit of a board, of the votes and actions up to some, which is
// not kept yet.
type unsavedFit struct {
	fit         *model.Single
	seq, action int64
	at          time.Time
}

// unsaved returns a board whose last fit is to be kept now, nil when there is none.
func (s *Service) unsaved(now time.Time) *live {
	for _, l := range s.all() {
		l.mu.RLock()
		due := l.unsaved != nil && now.Sub(l.saved) > saveEvery
		l.mu.RUnlock()
		if due {
			return l
		}
	}
	return nil
}

// saveFit keeps the last fit of a board, to start from after a restart, and packs its
// votes.
func (s *Service) saveFit(l *live) error {
	l.mu.Lock()
	u := l.unsaved
	l.saved = time.Now()
	l.mu.Unlock()
	if u == nil {
		return nil
	}
	var file bytes.Buffer
	if err := u.fit.SaveState(s.ctx, &file); err != nil {
		return err
	}
	if _, err := model.Read(bytes.NewReader(file.Bytes()), int64(file.Len())); err != nil { // what cannot be read back is not kept
		return err
	}
	if err := s.store.PutSnapshot(s.ctx, store.Snapshot{Board: l.id, Kind: "single", Seq: u.seq, Action: u.action, Bytes: file.Bytes(), Time: u.at}); err != nil {
		return err
	}
	if err := s.pack(s.ctx, l.id); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unsaved == u {
		l.unsaved = nil
	}
	return nil
}
