package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"palate"
	"palate/store"
	"palate/store/sqlite"
)

// start is a service on a fresh store, without limits and noise.
func start(t *testing.T, o Options) (*Service, store.Store) {
	t.Helper()
	st, err := openTest(t)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return startOn(t, st, o), st
}

// openTest opens a fresh store.
func openTest(t testing.TB) (store.Store, error) {
	return sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
}

func silent() *slog.Logger { return slog.New(slog.DiscardHandler) }

func startOn(t *testing.T, st store.Store, o Options) *Service {
	t.Helper()
	o.Log = silent()
	o.Seed = cmp.Or(o.Seed, 1)
	o.VotesPerMinute = cmp.Or(o.VotesPerMinute, -1)
	o.RequestsPerMinute = cmp.Or(o.RequestsPerMinute, -1)
	s, err := New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// lines are n items.
func lines(n int) []NewItem {
	items := make([]NewItem, n)
	for i := range items {
		items[i] = NewItem{ID: fmt.Sprintf("i%d", i), Body: fmt.Sprintf("Item %d", i)}
	}
	return items
}

func makeBoard(t *testing.T, s *Service, n NewBoard) Created {
	t.Helper()
	made, err := s.Create(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// named returns the identifier of a voter with a name.
func voterNamed(t *testing.T, s *Service, board, name string) string {
	t.Helper()
	l, err := s.board(t.Context(), board)
	if err != nil {
		t.Fatal(err)
	}
	id, err := s.named(t.Context(), l, name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// castVotes answers n questions of a voter for whom a lower number is better,
// nearly always.
func castVotes(t *testing.T, s *Service, board, voter string, n int, rng *rand.Rand) {
	t.Helper()
	for range n {
		q, err := s.Ask(t.Context(), board, voter)
		if errors.Is(err, ErrDone) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		o := palate.Left
		if float64(q.Left.Number)+rng.NormFloat64() > float64(q.Right.Number) {
			o = palate.Right
		}
		switch rng.IntN(12) {
		case 0:
			o = palate.Tie
		case 1:
			o = palate.Skip
		}
		if _, err := s.Tell(t.Context(), board, voter, Answer{Question: q.Token, Outcome: o}); err != nil {
			t.Fatal(err)
		}
	}
}

// settle refits a board now.
func settle(t *testing.T, s *Service, board string) *live {
	t.Helper()
	l, err := s.board(t.Context(), board)
	if err != nil {
		t.Fatal(err)
	}
	for {
		if err := s.refitBoard(l); err != nil {
			t.Fatal(err)
		}
		l.mu.RLock()
		done := l.pending == 0 && !l.stale
		l.mu.RUnlock()
		if done {
			return l
		}
	}
}

// TestVoting walks through a board: votes, an undo, skips, the end.
func TestVoting(t *testing.T) {
	ctx := t.Context()
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Title: "Lunch", Items: lines(6), Settings: store.Settings{Goal: "top-3"}}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	rng := rand.New(rand.NewPCG(1, 2))
	castVotes(t, s, b, ann, 15, rng)
	if _, err := s.Ask(ctx, b, ann); !errors.Is(err, ErrDone) {
		t.Fatalf("after all pairs: %v", err)
	}
	board, err := s.Leaderboard(ctx, b, View{})
	if err != nil {
		t.Fatal(err)
	}
	if board.Votes+board.Skips != 15 || board.Voters != 1 || len(board.Groups[0].Rows) != 6 {
		t.Fatalf("%d votes, %d skips, %d voters, %d rows", board.Votes, board.Skips, board.Voters, len(board.Groups[0].Rows))
	}
	if first := board.Groups[0].Rows[0].ID; first != "i0" && first != "i1" {
		t.Errorf("%s leads", first)
	}
	r, err := s.Undo(ctx, b, ann)
	if err != nil || !r.Fresh {
		t.Fatalf("undo: %+v, %v", r, err)
	}
	l, _ := s.board(ctx, b)
	l.mu.RLock()
	var in float64 // the model forgets at once
	for _, n := range l.model.Votes() {
		in += n / 2
	}
	if counted := l.ballots[ann].votes; in != float64(counted) {
		t.Errorf("the model knows of %g votes, %d count", in, counted)
	}
	l.mu.RUnlock()
	records, err := s.Records(ctx, b, ann)
	if err != nil || len(records) != 15 || !records[0].Undone || records[1].Undone {
		t.Fatalf("records %+v, %v", records, err)
	}
	q, err := s.Ask(ctx, b, ann)
	if err != nil {
		t.Fatalf("the pair of the undone vote: %v", err)
	}
	if ids := map[string]bool{records[0].Left: true, records[0].Right: true}; !ids[q.Left.ID] || !ids[q.Right.ID] {
		t.Errorf("asked %s and %s, want %v again", q.Left.ID, q.Right.ID, ids)
	}
	if err := s.SetClosed(ctx, b, "owner", true); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Tell(ctx, b, ann, Answer{Question: q.Token}); !errors.Is(err, ErrClosed) {
		t.Errorf("a vote on a closed board: %v", err)
	}
}

// TestOnce tells the same answer many times, at once and in a row: it counts
// once.
func TestOnce(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(5)}).Board.ID
	ann := voterNamed(t, s, b, "ann")
	q, err := s.Ask(t.Context(), b, ann)
	if err != nil {
		t.Fatal(err)
	}
	fresh := make(chan bool)
	for range 8 {
		go func() {
			r, err := s.Tell(context.Background(), b, ann, Answer{Question: q.Token, Outcome: palate.Left})
			if err != nil {
				t.Error(err)
			}
			fresh <- r.Fresh
		}()
	}
	n := 0
	for range 8 {
		if <-fresh {
			n++
		}
	}
	l, _ := s.board(t.Context(), b)
	if n != 1 || len(l.records) != 1 || l.model.Votes()[q.Left.Number] != 1 {
		t.Errorf("%d fresh, %d records, the item has %g votes", n, len(l.records), l.model.Votes()[q.Left.Number])
	}
}

// equal compares two states of a board.
func equal(t *testing.T, what string, a, b *live, tol float64) {
	t.Helper()
	a.mu.RLock()
	defer a.mu.RUnlock()
	b.mu.RLock()
	defer b.mu.RUnlock()
	if len(a.records) != len(b.records) || a.seq != b.seq {
		t.Fatalf("%s: %d records up to %d, %d up to %d", what, len(a.records), a.seq, len(b.records), b.seq)
	}
	for i := range a.items {
		ma, va := a.model.Utility(-1, i)
		mb, vb := b.model.Utility(-1, i)
		if math.Abs(ma-mb) > tol || math.Abs(va-vb) > tol {
			t.Fatalf("%s: item %d at %g ± %g and %g ± %g", what, i, ma, va, mb, vb)
		}
	}
}

// TestRestart: the state after a restart, with a snapshot and without, is what
// it was, once inference has converged.
func TestRestart(t *testing.T) {
	s, st := start(t, Options{Poll: 50 * time.Millisecond})
	b := makeBoard(t, s, NewBoard{Items: lines(12)}).Board.ID
	rng := rand.New(rand.NewPCG(3, 4))
	for v := range 4 {
		castVotes(t, s, b, voterNamed(t, s, b, fmt.Sprint(v)), 30, rng)
	}
	was := settle(t, s, b) // at once: what was cast is not followed yet
	if _, err := st.Snapshot(t.Context(), b, "single"); err != nil {
		t.Fatalf("no snapshot: %v", err)
	}
	for v := range 4 { // after the snapshot
		who := voterNamed(t, s, b, fmt.Sprint(v))
		castVotes(t, s, b, who, 3, rng)
		for range 2 {
			if _, err := s.Undo(t.Context(), b, who); err != nil {
				t.Fatal(err)
			}
		}
	}
	settle(t, s, b)
	s.Close()
	again := startOn(t, st, Options{})
	l, err := again.board(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if l.fit == nil || l.pending == 0 {
		t.Errorf("the snapshot was not used: fit %v, %d pending", l.fit != nil, l.pending)
	}
	settle(t, again, b)
	equal(t, "refitted", was, l, 1e-6)
}

// TestFollow runs two services on one store: each sees the other's votes, and
// what its owner did.
func TestFollow(t *testing.T) {
	s, st := start(t, Options{Poll: 5 * time.Millisecond})
	other := startOn(t, st, Options{Poll: 5 * time.Millisecond})
	b := makeBoard(t, s, NewBoard{Items: lines(8)}).Board.ID
	rng := rand.New(rand.NewPCG(5, 6))
	ann, bob := voterNamed(t, s, b, "ann"), voterNamed(t, other, b, "bob")
	for range 5 {
		castVotes(t, s, b, ann, 3, rng)
		castVotes(t, other, b, bob, 3, rng)
	}
	if _, err := other.Undo(t.Context(), b, bob); err != nil {
		t.Fatal(err)
	}
	if err := s.ExcludeItem(t.Context(), b, "owner", "i7", "not food"); err != nil {
		t.Fatal(err)
	}
	x, _ := s.board(t.Context(), b)
	y, _ := other.board(t.Context(), b)
	end, _, err := st.Ends(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wait(t, func() bool {
		y.mu.RLock()
		defer y.mu.RUnlock()
		return s.followed.Load() >= end && other.followed.Load() >= end && y.items[7].Excluded != ""
	})
	settle(t, s, b)
	settle(t, other, b)
	equal(t, "two services", x, y, 1e-6)
}

// wait waits until something is so.
func wait(t *testing.T, so func() bool) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < long; {
		if so() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatal("waited for nothing")
}

// TestGoals asks under every goal: no pair twice, excluded items never, and a
// propensity that is a probability.
func TestGoals(t *testing.T) {
	for _, goal := range []string{"ranking", "even", "best", "top-2", Personal, Coverage} {
		t.Run(goal, func(t *testing.T) {
			s, _ := start(t, Options{})
			b := makeBoard(t, s, NewBoard{Items: lines(7), Settings: store.Settings{Goal: goal, Novice: 4, Explore: 0.2}}).Board.ID
			if err := s.ExcludeItem(t.Context(), b, "owner", "i3", "broken"); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"ann", "bob"} {
				v := voterNamed(t, s, b, name)
				seen := map[[2]int]bool{}
				for {
					q, err := s.Ask(t.Context(), b, v)
					if errors.Is(err, ErrDone) {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					pair := [2]int{min(q.Left.Number, q.Right.Number), max(q.Left.Number, q.Right.Number)}
					if seen[pair] || pair[0] == 3 || pair[1] == 3 || !(q.Propensity > 0 && q.Propensity <= 1) || q.Pairs != 15-len(seen) {
						t.Fatalf("asked %v after %v with propensity %g, %d left", pair, seen, q.Propensity, q.Pairs)
					}
					seen[pair] = true
					if _, err := s.Tell(t.Context(), b, v, Answer{Question: q.Token, Outcome: palate.Outcome(len(seen) % 4)}); err != nil {
						t.Fatal(err)
					}
				}
				if len(seen) != 15 {
					t.Fatalf("%d of 15 pairs", len(seen))
				}
				mine, err := s.Leaderboard(t.Context(), b, View{Voter: v})
				if err != nil || len(mine.Groups[0].Rows) != 6 {
					t.Fatalf("own board: %v", err)
				}
			}
		})
	}
}

// TestTogether: voters at the same time are not asked the same pair.
func TestTogether(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(6)}).Board.ID
	seen := map[[2]int]string{}
	for k := range 15 {
		v := voterNamed(t, s, b, fmt.Sprint(k))
		q, err := s.Ask(t.Context(), b, v)
		if err != nil {
			t.Fatal(err)
		}
		pair := [2]int{min(q.Left.Number, q.Right.Number), max(q.Left.Number, q.Right.Number)}
		if seen[pair] != "" {
			t.Fatalf("%v is before two voters", pair)
		}
		seen[pair] = v
	}
	if _, err := s.Ask(t.Context(), b, voterNamed(t, s, b, "late")); err != nil {
		t.Fatalf("with all pairs before others: %v", err)
	}
}

// TestRelease: a board that nobody looks at leaves memory, and comes back as it
// was.
func TestRelease(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(5)}).Board.ID
	castVotes(t, s, b, voterNamed(t, s, b, "ann"), 6, rand.New(rand.NewPCG(1, 1)))
	was := settle(t, s, b)
	_, cancel := s.Subscribe(b)
	s.release(time.Now().Add(2 * idle))
	if len(s.all()) != 1 {
		t.Error("a board that somebody listens to has gone")
	}
	cancel()
	s.release(time.Now().Add(idle / 2))
	if len(s.all()) != 1 {
		t.Error("a board in use has gone")
	}
	s.release(time.Now().Add(2 * idle))
	if len(s.all()) != 0 {
		t.Error("an idle board has stayed")
	}
	equal(t, "read again", was, settle(t, s, b), 1e-6)
}
