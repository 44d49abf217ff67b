package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"palate"
	"palate/model"
	"palate/store"
	"palate/tune"
)

// load reads a board and builds its model: from the last fit that was saved, if
// nothing but votes has come since, and the votes after it.
func (s *Service) load(ctx context.Context, id string) (*live, error) {
	l := &live{
		id: id, subject: map[string]string{}, scribe: newScribe(), ended: map[int64]int{}, undone: map[int64]bool{}, heard: map[int64]bool{},
		ballots: map[string]*history{}, leases: map[[2]int]lease{},
	}
	var err error
	if _, l.born, err = s.store.Ends(ctx); err != nil {
		return nil, err
	}
	f, err := s.facts(ctx, id)
	if err != nil {
		return nil, err
	}
	if l.space, err = spaceOf(ctx, f.board); err != nil {
		return nil, err
	}
	l.set(f)
	if err := l.begin(ctx); err != nil {
		return nil, err
	}
	snapshot, err := s.store.Snapshot(ctx, id, "single")
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	covered := 0 // by the snapshot
	if err := s.replay(ctx, id, l.room, func(v store.Vote) {
		if l.take(v, false); v.Seq <= snapshot.Seq {
			covered = l.clock
		}
	}); err != nil {
		return nil, err
	}
	if snapshot.Seq > 0 {
		if err := l.resume(ctx, s.store, snapshot); err != nil {
			s.log.Warn("snapshot not used", "board", id, "error", err)
			covered = 0
		}
	}
	l.stale = (l.fit == nil || l.about.Settings.Over != "") && len(l.records) > 0
	l.fold(l.since(covered))
	return l, nil
}

// facts are all that is known of a board but its votes.
type facts struct {
	board  store.Board
	items  []store.Item
	voters []store.Voter
	owners []store.Owner
}

func (s *Service) facts(ctx context.Context, id string) (f facts, err error) {
	if f.board, err = s.store.Board(ctx, id); err != nil {
		return f, err
	}
	if f.items, err = s.store.Items(ctx, id); err != nil {
		return f, err
	}
	if f.voters, err = s.store.Voters(ctx, id); err != nil {
		return f, err
	}
	f.owners, err = s.store.Owners(ctx, id)
	return f, err
}

// begin starts at the prior.
func (l *live) begin(ctx context.Context) error {
	if l.space != nil {
		t, b, err := newTuned(ctx, l.space, l.about.Space.Seed)
		if err != nil {
			return err
		}
		l.tuned, l.model = t, newTried(b, l.items)
		return nil
	}
	ids := make([]string, len(l.items))
	for i, item := range l.items {
		ids[i] = item.ID
	}
	m, err := newLearner(ids, features(l.about, l.items, nil))
	if err != nil {
		return fmt.Errorf("server: board %s: %w", l.id, err)
	}
	l.model, l.still, l.fit, l.moving, l.fitted, l.pending = m, nil, nil, nil, time.Time{}, 0
	return nil
}

// features returns the features of a board's items, nil without; those of points are as the
// kernel of a search sees them.
func features(b store.Board, items []store.Item, space *tune.Space) *palate.Features {
	if len(b.Features) == 0 {
		return nil
	}
	if space != nil {
		f := &palate.Features{Rows: len(items)}
		for _, i := range items {
			row := space.Features(i.Features)
			f.Data, f.Cols = append(f.Data, row...), len(row)
		}
		for k := range f.Cols {
			f.Names = append(f.Names, fmt.Sprint("feature ", k+1))
		}
		return f
	}
	f := &palate.Features{Names: b.Features, Rows: len(items), Cols: len(b.Features)}
	for _, i := range items {
		f.Data = append(f.Data, i.Features...)
	}
	return f
}

// resume takes up the fit of a snapshot, if nothing but votes has come since.
func (l *live) resume(ctx context.Context, st store.Store, s store.Snapshot) error {
	since, err := st.Actions(ctx, l.id, s.Action, page)
	if err != nil {
		return err
	}
	if len(since) == page {
		return fmt.Errorf("server: %d actions and more since", page)
	}
	for _, a := range since {
		if bearing(a.Verb) {
			return fmt.Errorf("server: %s since", a.Verb)
		}
	}
	kept, err := model.Read(bytes.NewReader(s.Bytes), int64(len(s.Bytes)))
	if err != nil {
		return err
	}
	fit, ok := kept.(*model.Single)
	if !ok || fit.NumItems() != len(l.items) {
		return fmt.Errorf("server: the snapshot is of another kind of model, or of %d items", kept.NumItems())
	}
	m, err := goOn(ctx, fit)
	if err != nil {
		return err
	}
	l.model, l.still, l.fit, l.fitted, l.pending = m, nil, fit, s.Time, 0
	return nil
}

// bearing reports whether a verb of the log changes what counts.
func bearing(verb string) bool {
	switch verb {
	case excludeVoter, excludeItem, addItems, acceptItem, store.Erased:
		return true
	}
	return false
}
