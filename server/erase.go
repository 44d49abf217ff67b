package server

import (
	"context"
	"fmt"
	"time"

	"palate/store"
)

// Erase deletes all that a voter said on a board: votes, comments and proposals, and the
// text of items that came from these. Rankings and exports go on without them.
func (s *Service) Erase(ctx context.Context, board, voter string) error {
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	if err := s.known(ctx, l, voter); err != nil {
		return err
	}
	if voter == nobody {
		return forbidden("these votes are of many people")
	}
	if said, err := s.said(ctx, l, voter); err != nil || !said {
		return err
	}
	if !s.tries.allow("erase "+board, time.Now()) { // the board is read anew after each
		return fmt.Errorf("server: %w: deletions on one board", ErrTooMany)
	}
	imports, err := s.store.Imports(ctx, board)
	if err != nil {
		return err
	}
	for _, i := range imports {
		if !i.State.Over() {
			return invalid("votes are being imported: try again when that is done")
		}
	}
	if err := s.store.EraseVoter(ctx, board, voter, store.Action{Actor: "voter", Reason: "deleted by who proposed it", Time: now()}); err != nil {
		return err
	}
	s.forget(l)
	return nil
}

// said reports whether there is anything that a voter said.
func (s *Service) said(ctx context.Context, l *live, voter string) (bool, error) {
	b, err := s.store.Ballot(ctx, l.id, voter)
	if err != nil || b != (store.Ballot{}) {
		return true, err
	}
	l.mu.RLock()
	known := l.last(voter) > 0 // by a file
	l.mu.RUnlock()
	p, err := s.store.Proposals(ctx, l.id, voter)
	return known || len(p) > 0, err
}
