package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"palate"
	"palate/store"
)

func votes(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	v := vote("a", "ann", "k1", 2, 0)
	v.Reason, v.Outcome = "both bad", palate.Tie
	got, isNew, err := st.Append(ctx, store.Entry{Vote: v})
	ok(t, err)
	if !isNew || got.Seq == 0 {
		t.Fatalf("fresh %v, seq %d", isNew, got.Seq)
	}
	v.Seq = got.Seq
	same(t, "appended", got, v)
	undo := v
	undo.Seq, undo.Key, undo.Undoes = 0, "undo:k1", v.Seq
	u, _, err := st.Append(ctx, store.Entry{Vote: undo, Known: v.Seq})
	ok(t, err)
	undo.Seq = u.Seq
	all, err := st.Votes(ctx, "a", 0, 10)
	ok(t, err)
	same(t, "votes", all, []store.Vote{v, undo})
	if _, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "nobody", "k", 0, 1)}); err == nil {
		t.Error("a vote of nobody was stored")
	}
	if _, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k", 0, 9)}); err == nil {
		t.Error("a vote on no item was stored")
	}
}

// once: a key counts once for a voter on a board, and the first vote stands.
func once(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	first, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k", 0, 1)})
	ok(t, err)
	again := vote("a", "ann", "k", 2, 3)
	got, isNew, err := st.Append(ctx, store.Entry{Vote: again})
	ok(t, err)
	if isNew {
		t.Fatal("the same key was fresh twice")
	}
	same(t, "told again", got, first)
	for _, v := range []store.Vote{vote("a", "bob", "k", 0, 1), vote("b", "ann", "k", 0, 1), vote("a", "ann", "k2", 0, 1)} {
		if _, isNew, err := st.Append(ctx, store.Entry{Vote: v}); err != nil || !isNew {
			t.Fatalf("%s %s %s: fresh %v, %v", v.Board, v.Voter, v.Key, isNew, err)
		}
	}
}

// order: numbers grow, over boards and voters at once, and none is lost or twice.
func order(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	var wg sync.WaitGroup
	const writers, each = 8, 25
	for w := range writers {
		wg.Go(func() {
			last := int64(0)
			for k := range each {
				v, isNew, err := st.Append(ctx, store.Entry{Vote: vote([]string{"a", "b"}[w%2], []string{"ann", "bob"}[k%2], fmt.Sprintf("%d-%d", w, k), k%4, (k+1)%4)})
				if err != nil || !isNew || v.Seq <= last {
					t.Errorf("writer %d, vote %d: seq %d after %d, fresh %v, %v", w, k, v.Seq, last, isNew, err)
					return
				}
				last = v.Seq
			}
		})
	}
	wg.Wait()
	all := readAll(t, ctx, st, "", 7)
	if end, done, err := st.Ends(ctx); err != nil || end != all[len(all)-1].Seq || done == 0 {
		t.Fatalf("the logs end at %d and %d, the last vote is %d (%v)", end, done, all[len(all)-1].Seq, err)
	}
	if len(all) != writers*each {
		t.Fatalf("%d of %d votes", len(all), writers*each)
	}
	if n := len(readAll(t, ctx, st, "a", 1000)); n != writers*each/2 {
		t.Fatalf("%d votes on one of two boards", n)
	}
}

// readAll reads a log page by page.
func readAll(t *testing.T, ctx context.Context, st store.Store, board string, page int) (all []store.Vote) {
	t.Helper()
	last := int64(0)
	for {
		some, err := st.Votes(ctx, board, last, page)
		ok(t, err)
		if len(some) == 0 {
			return all
		}
		for _, v := range some {
			if v.Seq <= last {
				t.Fatalf("seq %d after %d", v.Seq, last)
			}
			last = v.Seq
		}
		all = append(all, some...)
	}
}

// follow: two stores on one place see each other's votes, and who has read up
// to a number has missed nothing before it.
func follow(t *testing.T, open Opener) {
	ctx, st := t.Context(), store.Store(nil)
	st, place := open(t, "")
	defer st.Close()
	setUp(t, ctx, st, "a")
	other, _ := open(t, place)
	defer other.Close()
	const each = 40
	var wg sync.WaitGroup
	for w, s := range []store.Store{st, other, st, other} {
		wg.Go(func() {
			for k := range each {
				if _, _, err := s.Append(ctx, store.Entry{Vote: vote("a", "ann", fmt.Sprintf("%d-%d", w, k), 0, 1)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	seen, last := 0, int64(0)
	for finished := false; ; {
		some, err := other.Votes(ctx, "", last, 1000)
		ok(t, err)
		for _, v := range some {
			last = v.Seq
			seen++
		}
		if finished {
			break
		}
		select {
		case <-done:
			finished = true
		default:
		}
	}
	if seen != 4*each {
		t.Fatalf("a follower saw %d of %d votes", seen, 4*each)
	}
}
