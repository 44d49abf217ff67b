package server

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

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

func (f *flaky) Append(ctx context.Context, v store.Vote) (store.Vote, bool, error) {
	if err := f.gone(); err != nil {
		return v, false, err
	}
	return f.Store.Append(ctx, v)
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

// TestOutage takes the store away while people vote: they are told so, questions
// are still asked, and when it is back the same answers count, once.
func TestOutage(t *testing.T) {
	st, err := openTest(t)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	f := &flaky{Store: st}
	s := startOn(t, f, Options{Poll: 2 * time.Millisecond})
	h := siteOf(t, s)
	var made CreatedJSON
	h.program(t, "").want(201, "POST", "/api/boards", fourItems, &made)
	owner, b := h.program(t, made.Secret), "/api/boards/"+made.Board.ID
	answers := []string{}
	ask := func() {
		var q QuestionJSON
		owner.want(200, "POST", b+"/ask", `{"voter":"ann"}`, &q)
		answers = append(answers, fmt.Sprintf(`{"voter":"ann","question":%q,"outcome":"left"}`, q.Question))
	}
	ask()
	owner.want(200, "POST", b+"/tell", answers[0], nil)
	f.away.Store(true)
	ask()
	for range 3 {
		owner.want(503, "POST", b+"/tell", answers[1], nil)
	}
	owner.want(503, "GET", "/healthz", "", nil)
	owner.want(200, "GET", b+"/board", "", nil)
	time.Sleep(20 * time.Millisecond) // the follower and the refits have met it, too
	f.away.Store(false)
	owner.want(200, "GET", "/healthz", "", nil)
	for range 2 {
		for _, a := range answers {
			owner.want(200, "POST", b+"/tell", a, nil)
		}
	}
	l := settle(t, s, made.Board.ID)
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

// TestGivenUp says that who goes before the answer comes is not the server's fault.
func TestGivenUp(t *testing.T) {
	for err, want := range map[error]int{
		fmt.Errorf("server: %w", context.Canceled):         StatusGone,
		fmt.Errorf("server: %w", context.DeadlineExceeded): 500,
		fmt.Errorf("store: %w", store.ErrUnavailable):      503,
	} {
		if code, _ := status(err); code != want {
			t.Errorf("%v: %d, want %d", err, code, want)
		}
	}
}
