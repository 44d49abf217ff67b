package server

import (
	"context"
	"errors"
	"time"

	"palate/store"
)

// How often boards in memory are looked after, all boards, and whether a goal is settled.
const (
	tendEvery   = time.Second
	surveyEvery = 30 * time.Second
	judgeEvery  = 5 * time.Second
)

// DeletedFor is how long a board that was deleted can be taken back.
const DeletedFor = 24 * time.Hour

// tend closes boards whose date has come or whose goal is settled, and removes those that
// were deleted long ago.
func (s *Service) tend() {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	var surveyed time.Time
	judged := map[string]judgement{}
	for {
		for _, l := range s.all() {
			l.mu.RLock()
			b, seq := l.about, l.seq
			l.mu.RUnlock()
			if s.tendDate(b, time.Now()) || !b.Rules.WhenSettled || b.ClosedAt(time.Now()) {
				continue
			}
			if j := judged[b.ID]; j.seq != seq && time.Since(j.at) > judgeEvery && s.judge(b.ID) {
				judged[b.ID] = judgement{seq, time.Now()}
			}
		}
		if time.Since(surveyed) > surveyEvery {
			surveyed = time.Now()
			s.survey(surveyed)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// judgement is up to which vote it was seen whether a goal is settled, and when.
type judgement struct {
	seq int64
	at  time.Time
}

// survey looks after all boards, those that nobody has asked for, too.
func (s *Service) survey(at time.Time) {
	all, err := s.store.Boards(s.ctx)
	if err != nil {
		if s.ctx.Err() == nil {
			s.log.Error("boards cannot be read", "error", err)
		}
		return
	}
	for _, b := range all {
		s.tendDate(b, at)
		if d := b.Rules.Deleted; !d.IsZero() && at.Sub(d) > DeletedFor {
			s.drop(b.ID, at)
		}
	}
}

// tendDate closes a board whose date has come, and reports whether it had.
func (s *Service) tendDate(b store.Board, at time.Time) bool {
	due := !b.Closed && b.Rules.Deleted.IsZero() && b.ClosedAt(at)
	if due {
		s.end(b.ID, "date", func(b *store.Board) bool { return !b.Closed && b.ClosedAt(at) })
	}
	return due
}

// judge closes a board whose goal is settled, and reports whether that could be said.
func (s *Service) judge(board string) bool {
	now, err := s.Goal(s.ctx, board)
	if err != nil || now.Behind || now.Fitted.IsZero() || now.Pending*refitShare > now.Votes {
		return false
	}
	if now.Progress.Done && now.Votes > 0 {
		s.end(board, "settled", func(b *store.Board) bool { return !b.Closed && b.Rules.WhenSettled })
	}
	return true
}

// errSettled says that there is nothing to do.
var errSettled = errors.New("server: done already")

// end closes a board for a reason, if that still holds.
func (s *Service) end(board, why string, holds func(*store.Board) bool) {
	a := store.Action{Actor: "server", Verb: "close", Reason: why, Time: now()}
	err := s.store.UpdateBoard(s.ctx, board, func(b *store.Board) error {
		if !holds(b) {
			return errSettled
		}
		b.Closed = true
		return nil
	}, a)
	if err == nil {
		if l := s.loaded(board); l != nil {
			err = s.renew(s.ctx, l)
		}
	}
	if err != nil && !errors.Is(err, errSettled) && s.ctx.Err() == nil {
		s.log.Error("board not closed", "board", board, "error", err)
	}
}

// drop removes a board for good.
func (s *Service) drop(board string, at time.Time) {
	err := s.store.DropBoard(s.ctx, board, at.Add(-DeletedFor), store.Action{Actor: "server", Verb: "drop", Time: now()})
	if err != nil && !errors.Is(err, store.ErrStale) && !errors.Is(err, store.ErrNotFound) && s.ctx.Err() == nil {
		s.log.Error("board not removed", "board", board, "error", err)
		return
	}
	if l := s.loaded(board); l != nil && err == nil {
		s.forget(l)
	}
}

// Delete takes a board away from everybody but its owners, who can have it back for a day.
// It returns until when.
func (s *Service) Delete(ctx context.Context, board, actor string) (until time.Time, err error) {
	at := now()
	err = s.change(ctx, board, actor, "delete", func(b *store.Board) {
		if b.Rules.Deleted.IsZero() {
			b.Rules.Deleted = at
		}
		until = b.Rules.Deleted.Add(DeletedFor)
	})
	return until, err
}

// Restore takes back that a board was deleted.
func (s *Service) Restore(ctx context.Context, board, actor string) error {
	late := false
	err := s.change(ctx, board, actor, "restore", func(b *store.Board) {
		if late = b.Rules.Gone; !late {
			b.Rules.Deleted = time.Time{}
		}
	})
	if err == nil && late {
		err = store.ErrNotFound
	}
	return err
}
