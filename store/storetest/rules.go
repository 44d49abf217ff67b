package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"palate"
	"palate/store"
)

// rules: no vote is stored on a board that is closed at its time, whatever its writer
// knew; what was stored before can be told again, and files go on.
func rules(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	set := func(how func(*store.Board)) {
		t.Helper()
		ok(t, st.UpdateBoard(ctx, "a", func(b *store.Board) error { how(b); return nil }, act("rules")))
	}
	tell := func(key string, at time.Time) error {
		v := vote("a", "ann", key, 0, 1)
		v.Time = at
		_, _, err := st.Append(ctx, store.Entry{Vote: v})
		return err
	}
	ok(t, tell("before", noon))
	for name, close := range map[string]func(*store.Board){
		"closed":  func(b *store.Board) { b.Closed = true },
		"deleted": func(b *store.Board) { b.Rules.Deleted = noon },
		"date":    func(b *store.Board) { b.Rules.Closes = noon.Add(time.Second) },
	} {
		set(func(b *store.Board) { b.Closed, b.Rules = false, store.Rules{} })
		ok(t, tell(name+" open", noon.Add(time.Minute)))
		set(close)
		if err := tell(name+" late", noon.Add(time.Second)); !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: a vote was taken: %v", name, err)
		}
		if err := tell("before", noon.Add(time.Hour)); err != nil {
			t.Errorf("%s: what was told before: %v", name, err)
		}
	}
	set(func(b *store.Board) { b.Closed, b.Rules = false, store.Rules{Closes: noon.Add(time.Second)} })
	ok(t, tell("in time", noon))

	// Votes and the end of the voting at once: none is numbered after the end.
	set(func(b *store.Board) { b.Closed, b.Rules = false, store.Rules{} })
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() {
			for k := 0; ; k++ {
				if err := tell(fmt.Sprint("race ", w, k), noon); err != nil {
					if !errors.Is(err, store.ErrClosed) {
						t.Error(err)
					}
					return
				}
			}
		})
	}
	set(func(b *store.Board) { b.Closed = true })
	end, _, err := st.Ends(ctx)
	ok(t, err)
	all.Wait()
	last, _, err := st.Ends(ctx)
	ok(t, err)
	if last != end {
		t.Errorf("votes up to %d when the board was closed, and up to %d later", end, last)
	}
}

// quota: no more votes of a voter stand than may, by however many connections.
func quota(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	ok(t, st.UpdateBoard(ctx, "a", func(b *store.Board) error { b.Rules.Quota = 2; return nil }, act("rules")))
	pairs := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	var all sync.WaitGroup
	var mu sync.Mutex
	stored := map[string][]store.Vote{}
	for k := range 24 {
		all.Go(func() {
			who := []string{"ann", "bob"}[k%2]
			v := vote("a", who, fmt.Sprint(k), pairs[k/2%6][0], pairs[k/2%6][1])
			got, fresh, err := st.Append(ctx, store.Entry{Vote: v})
			switch {
			case err == nil && fresh:
				mu.Lock()
				stored[who] = append(stored[who], got)
				mu.Unlock()
			case !errors.Is(err, store.ErrQuota):
				t.Errorf("%v, %v", fresh, err)
			}
		})
	}
	all.Wait()
	stand := map[string]map[[2]int]bool{}
	for who, votes := range stored {
		stand[who] = map[[2]int]bool{}
		for _, v := range votes {
			stand[who][[2]int{v.Left, v.Right}] = true
		}
		if len(stand[who]) != 2 {
			t.Errorf("of %s stand votes on %d pairs, of 2: %+v", who, len(stand[who]), votes)
		}
	}
	free := pairs[slices.IndexFunc(pairs, func(p [2]int) bool { return !stand["ann"][p] })]
	skip := vote("a", "ann", "skip", free[0], free[1])
	skip.Outcome = palate.Skip
	_, _, err := st.Append(ctx, store.Entry{Vote: skip})
	ok(t, err) // skips are free
	again := vote("a", "ann", "again", stored["ann"][0].Left, stored["ann"][0].Right)
	last, _, err := st.Append(ctx, store.Entry{Vote: again})
	ok(t, err) // another answer in place of one that stands
	if _, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "third", free[0], free[1])}); !errors.Is(err, store.ErrQuota) {
		t.Errorf("a vote too many: %v", err)
	}
	undo := last
	undo.Key, undo.Undoes, undo.Seq = "undo", last.Seq, 0
	_, _, err = st.Append(ctx, store.Entry{Vote: undo, Known: last.Seq})
	ok(t, err)
	_, _, err = st.Append(ctx, store.Entry{Vote: vote("a", "ann", "instead", free[0], free[1])})
	ok(t, err)
}
