package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"palate/store"
)

const (
	// partSize is how much of a file is stored at a time, sliceSize how many votes of
	// it: between two of them live votes have their turn.
	partSize  = 256 << 10
	sliceSize = 1000
	// importDuty is the share of the time that an import takes; the rest is for votes.
	importDuty = 0.5
	// A process that does an import says so at least this often; when it does not,
	// another goes on.
	importLease = 10 * time.Second
	// uploadsLast is how long a file may stop coming in.
	uploadsLast = 5 * time.Minute
	// maxImports is how many imports of a board may be under way.
	maxImports = 8
	// imports is the policy of votes from files.
	imports = "import"
)

// Import takes a file of votes in any of ingest's forms, of items that are on the
// board, and stores its votes in the background: see Imports, AwaitImport and
// CancelImport. A row that cannot be read ends it before anything is stored, unless
// bad rows are to be passed over. Reading a file again adds nothing.
func (s *Service) Import(ctx context.Context, board, actor, name string, r io.Reader, set store.ImportSettings) (store.Import, error) {
	if _, err := reading(set); err != nil {
		return store.Import{}, err
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return store.Import{}, err
	}
	if err := checkText("the name of a file", name, maxFile); err != nil {
		return store.Import{}, err
	}
	i := store.Import{ID: token(8), Board: board, Actor: actor, Name: name, Settings: set, State: store.Receiving, Created: now()}
	if err := s.begin(ctx, l, i); err != nil {
		return i, err
	}
	if err := s.receive(ctx, i.ID, r); err != nil {
		s.endImport(i, "", store.Failed, "the file did not come in whole")
		return i, err
	}
	i, err = s.store.ClaimImport(ctx, i.ID, s.worker, now(), now().Add(importLease))
	if err != nil {
		return i, err
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
	return i, nil
}

// begin notes that an import is under way, unless too many are.
func (s *Service) begin(ctx context.Context, l *live, i store.Import) error {
	l.acting.Lock()
	defer l.acting.Unlock()
	list, err := s.store.Imports(ctx, i.Board)
	if err != nil {
		return err
	}
	if waiting := slices.DeleteFunc(list, func(i store.Import) bool { return i.State.Over() }); len(waiting) >= maxImports {
		return fmt.Errorf("server: %w: %d imports are under way on this board", ErrTooMany, len(waiting))
	}
	return s.store.NewImport(ctx, i, store.Action{Actor: i.Actor, Verb: "import", Object: i.Name, Time: now()})
}

// receive stores a file by parts.
func (s *Service) receive(ctx context.Context, id string, r io.Reader) error {
	buffer := make([]byte, partSize)
	for part, size := 0, 0; ; part++ {
		n, err := io.ReadFull(r, buffer)
		if size += n; size > MaxImport {
			return invalid("the file has more than %d bytes", MaxImport)
		}
		if n > 0 {
			if err := s.store.AddPart(ctx, id, part, slices.Clone(buffer[:n]), now()); err != nil {
				return err
			}
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: the file cannot be read: %w", ErrInvalid, err)
		}
	}
}

// Imports lists a board's imports, the last first.
func (s *Service) Imports(ctx context.Context, board string) ([]store.Import, error) {
	return s.store.Imports(ctx, board)
}

// ImportOf returns one import of a board.
func (s *Service) ImportOf(ctx context.Context, board, id string) (store.Import, error) {
	all, err := s.store.Imports(ctx, board)
	if err != nil {
		return store.Import{}, err
	}
	for _, i := range all {
		if i.ID == id {
			return i, nil
		}
	}
	return store.Import{}, fmt.Errorf("%w: import %q", store.ErrNotFound, id)
}

// AwaitImport waits until an import is over, or for a while, and returns it.
func (s *Service) AwaitImport(ctx context.Context, board, id string, wait time.Duration) (store.Import, error) {
	until := time.Now().Add(wait)
	for {
		i, err := s.ImportOf(ctx, board, id)
		if err != nil || i.State.Over() || time.Now().After(until) {
			return i, err
		}
		select {
		case <-ctx.Done():
			return i, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// CancelImport ends an import. The votes that it has added by then stay, and it says
// how many they are.
func (s *Service) CancelImport(ctx context.Context, board, actor, id string) error {
	i, err := s.ImportOf(ctx, board, id)
	if err != nil {
		return err
	}
	i.State, i.Changed = store.Cancelled, now()
	err = s.store.EndImport(ctx, id, "", i, store.Action{Actor: actor, Verb: "cancel-import", Object: i.Name, Time: now()})
	if errors.Is(err, store.ErrStale) {
		return invalid("the import is over")
	}
	return err
}

// runImports does what is to be done of imports, one after the other: this process's,
// and those of others that do not say any more that they are at work.
func (s *Service) runImports() {
	tick := time.NewTicker(importLease / 4)
	defer tick.Stop()
	for {
		all, err := s.store.Imports(s.ctx, "")
		if err != nil && s.ctx.Err() == nil {
			s.log.Error("imports cannot be read", "error", err)
		}
		for _, i := range all {
			switch {
			case i.State == store.Receiving:
				if time.Since(i.Changed) > uploadsLast {
					s.endImport(i, "", store.Failed, "the file did not come in whole")
				}
				continue
			case i.Worker != s.worker && time.Now().Before(i.Until):
				continue
			}
			if i, err = s.store.ClaimImport(s.ctx, i.ID, s.worker, now(), now().Add(importLease)); err == nil {
				err = s.runImport(i)
			}
			switch {
			case err == nil, errors.Is(err, store.ErrStale), s.ctx.Err() != nil: // done, cancelled, or to be gone on with
			case errors.Is(err, store.ErrUnavailable): // later
				s.log.Warn("import waits", "board", i.Board, "import", i.ID, "error", err)
			default:
				s.endImport(i, s.worker, store.Failed, cause(err))
				if !errors.Is(err, ErrInvalid) {
					s.log.Error("import failed", "board", i.Board, "import", i.ID, "error", err)
				}
			}
		}
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
	}
}

// cause is what is wrong with a file, for people.
func cause(err error) string {
	if !errors.Is(err, ErrInvalid) {
		return "something went wrong on the server"
	}
	says := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "server: "), ErrInvalid.Error()+": ")
	return firstLine(says, maxReason)
}

func (s *Service) endImport(i store.Import, worker string, state store.ImportState, says string) {
	i.State, i.Says, i.Changed = state, says, now()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 10*time.Second)
	defer cancel()
	verb := "imported"
	if state == store.Failed {
		verb = "import failed"
	}
	if err := s.store.EndImport(ctx, i.ID, worker, i, store.Action{Actor: i.Actor, Verb: verb, Object: i.Name, Reason: says, Time: now()}); err != nil && !errors.Is(err, store.ErrStale) {
		s.log.Error("import not ended", "import", i.ID, "error", err)
	}
}

// runImport reads a file, then stores its votes from where an earlier process has come
// to. Nothing is stored before all of it is read.
func (s *Service) runImport(i store.Import) error {
	l, err := s.board(s.ctx, i.Board)
	if err != nil {
		return err
	}
	var votes []fileVote
	var voters []string
	var bad badRows
	var digest string
	err = s.attempt(func() (err error) { votes, voters, bad, digest, err = s.readImport(l, i); return err })
	if err != nil {
		return err
	}
	i.Bad = bad.n
	if err := s.store.NoteImport(s.ctx, i.ID, s.worker, len(votes), bad.n, now().Add(importLease)); err != nil {
		return err
	}
	few := len(votes) <= sliceSize
	l.mu.Lock()
	l.importing++
	l.mu.Unlock()
	defer func() {
		if s.ctx.Err() != nil { // another process need not wait
			ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), time.Second)
			defer cancel()
			s.store.NoteImport(ctx, i.ID, s.worker, len(votes), bad.n, time.Time{})
		}
		l.mu.Lock()
		l.importing--
		if !few {
			l.stale = true // a refit is quicker than folding in so many
		}
		l.version++
		l.mu.Unlock()
		s.hub.send(Event{Board: i.Board, Kind: Voted})
	}()
	for at := i.Done; at < len(votes); {
		began := time.Now()
		to := min(at+sliceSize, len(votes))
		records, err := s.records(l, votes[at:to], voters, at, digest, i.Created)
		if err != nil {
			return err
		}
		fresh, err := s.store.AppendSlice(s.ctx, store.Slice{Import: i.ID, Worker: s.worker, From: at, To: to, Until: now().Add(importLease), Votes: records})
		if err != nil {
			return err
		}
		l.mu.Lock()
		for _, v := range fresh {
			l.take(v, few)
		}
		l.mu.Unlock()
		s.own.add(fresh)
		s.meter.imported.Add(int64(len(fresh)))
		i.Added, at = i.Added+len(fresh), to
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case <-time.After(time.Duration(float64(time.Since(began)) * (1/importDuty - 1))):
		}
	}
	says := ""
	if bad.n > 0 {
		says = "the first bad row: " + bad.first
	}
	s.endImport(i, s.worker, store.Finished, says)
	return nil
}
