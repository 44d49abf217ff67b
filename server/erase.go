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
	if !s.voters.allow(board+"/"+voter, time.Now()) {
		return fmt.Errorf("server: %w: more than %d a minute", ErrTooMany, s.options.VotesPerMinute)
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
