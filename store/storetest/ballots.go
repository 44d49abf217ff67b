package storetest

import (
	"errors"
	"testing"

	"palate/store"
)

// questions: a voter has one open question, which one answer closes, whatever
// process asks and stores.
func questions(t *testing.T, open Opener) {
	ctx := t.Context()
	st, place := open(t, "")
	defer st.Close()
	other, _ := open(t, place)
	defer other.Close()
	setUp(t, ctx, st, "a")
	b, err := st.Ballot(ctx, "a", "ann")
	ok(t, err)
	same(t, "a voter who did nothing", b, store.Ballot{})
	first := store.Question{Key: "k1", Left: 1, Right: 0, Policy: "bald", Propensity: 0.5, Time: noon}
	ok(t, st.Pose(ctx, "a", "ann", b, first))
	stale(t, "a second question", other.Pose(ctx, "a", "ann", b, store.Question{Key: "k2", Right: 2}))
	b, err = other.Ballot(ctx, "a", "ann")
	ok(t, err)
	same(t, "the open question", b, store.Ballot{Open: first})
	answer := func(key string) store.Entry { return store.Entry{Vote: vote("a", "ann", key, 1, 0), Answers: true} }
	_, _, err = st.Append(ctx, answer("k2"))
	stale(t, "an answer to a question that is not open", err)
	_, _, err = st.Append(ctx, store.Entry{Vote: vote("a", "bob", "k1", 1, 0), Answers: true})
	stale(t, "an answer to another's question", err)
	v, fresh, err := other.Append(ctx, answer("k1"))
	ok(t, err)
	if again, twice, err := st.Append(ctx, answer("k1")); err != nil || !fresh || twice || again.Seq != v.Seq {
		t.Fatalf("answered twice: %+v, %v, %v", again, twice, err)
	}
	if b, err = st.Ballot(ctx, "a", "ann"); err != nil || b.Seq != v.Seq || b.Open.Key != "" {
		t.Fatalf("after the answer: %+v, %v", b, err)
	}
	ok(t, other.Pose(ctx, "a", "ann", b, store.Question{Key: "k3", Right: 2, Time: noon}))
	undo := store.Entry{Vote: v, Known: v.Seq - 1, Opens: &store.Question{Key: "k4", Left: 1, Time: noon}}
	undo.Seq, undo.Key, undo.Undoes = 0, "undo", v.Seq
	_, _, err = st.Append(ctx, undo)
	stale(t, "an undo that does not know of the last record", err)
	undo.Known = v.Seq
	u, _, err := st.Append(ctx, undo)
	ok(t, err)
	if b, err = st.Ballot(ctx, "a", "ann"); err != nil || b.Seq != u.Seq || b.Open.Key != "k4" {
		t.Fatalf("after an undo: %+v, %v", b, err)
	}
	_, _, err = st.Append(ctx, answer("k3"))
	stale(t, "an answer to a question whose place another has taken", err)
}

func stale(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrStale) {
		t.Fatalf("%s: %v, want %v", what, err, store.ErrStale)
	}
}
