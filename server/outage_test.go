package server

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"palate"
	"palate/store"
)

// flaky is a store that can be taken away.
type flaky struct {
	store.Store
	away atomic.Bool
}

func (f *flaky) gone() error {
	if f.away.Load() {
		return fmt.Errorf("%w: taken away", store.ErrUnavailable)
	}
	return nil
}

func (f *flaky) Append(ctx context.Context, e store.Entry) (store.Vote, bool, error) {
	if err := f.gone(); err != nil {
		return e.Vote, false, err
	}
	return f.Store.Append(ctx, e)
}

func (f *flaky) Pose(ctx context.Context, board, voter string, read store.Ballot, q store.Question) error {
	if err := f.gone(); err != nil {
		return err
	}
	return f.Store.Pose(ctx, board, voter, read, q)
}

func (f *flaky) Votes(ctx context.Context, board string, after int64, limit int) ([]store.Vote, error) {
	if err := f.gone(); err != nil {
		return nil, err
	}
	return f.Store.Votes(ctx, board, after, limit)
}

func (f *flaky) Actions(ctx context.Context, board string, after int64, limit int) ([]store.Action, error) {
	if err := f.gone(); err != nil {
		return nil, err
	}
	return f.Store.Actions(ctx, board, after, limit)
}

func (f *flaky) Ends(ctx context.Context) (int64, int64, error) {
	if err := f.gone(); err != nil {
		return 0, 0, err
	}
	return f.Store.Ends(ctx)
}

func (f *flaky) Check(ctx context.Context) error {
	if err := f.gone(); err != nil {
		return err
	}
	return f.Store.Check(ctx)
}

// TestOutage takes the store away while people vote: they are told so, an open
// question is still shown, and when it is back the same answers count, once.
func TestOutage(t *testing.T) {
	st, err := openTest(t)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	f := &flaky{Store: st}
	s := startOn(t, f, Options{Poll: 2 * time.Millisecond})
	b := makeBoard(t, s, NewBoard{Items: lines(4)}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	var answers []Answer
	ask := func() {
		q, err := s.Ask(t.Context(), b, ann)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, Answer{Question: q.Token, Outcome: palate.Left})
	}
	tell := func(a Answer, want error) {
		if _, err := s.Tell(t.Context(), b, ann, a); !errors.Is(err, want) {
			t.Errorf("told %v, want %v", err, want)
		}
	}
	ask()
	tell(answers[0], nil)
	ask()
	f.away.Store(true)
	ask() // the one that is open
	if answers[2].Question != answers[1].Question {
		t.Error("another question")
	}
	for range 3 {
		tell(answers[1], store.ErrUnavailable)
	}
	s.ready.at = time.Time{}
	if err := s.Ready(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("ready: %v", err)
	}
	if _, err := s.Leaderboard(t.Context(), b, View{}); err != nil {
		t.Error(err)
	}
	time.Sleep(20 * time.Millisecond) // the follower and the refits have met it, too
	f.away.Store(false)
	s.ready.at = time.Time{}
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	for range 2 {
		for _, a := range answers {
			tell(a, nil)
		}
	}
	l := settle(t, s, b)
	if n := l.fit.Fit().Votes; n != 2 {
		t.Errorf("%g votes, want 2", n)
	}
}

// TestNotLoaded: a board that could not be read is read at the next try.
func TestNotLoaded(t *testing.T) {
	st, err := openTest(t)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	f := &flaky{Store: st}
	s := startOn(t, f, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(3)}).Board.ID
	f.away.Store(true)
	if _, err := s.Leaderboard(t.Context(), b, View{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("from a store that is away: %v", err)
	}
	f.away.Store(false)
	if _, err := s.Leaderboard(t.Context(), b, View{}); err != nil {
		t.Error(err)
	}
}
