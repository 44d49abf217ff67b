package storetest

import (
	"errors"
	"testing"

	"palate/store"
)

func actions(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	a := store.Action{Actor: "bot", Verb: "exclude-voter", Object: "ann", Reason: "a robot", Time: noon}
	ok(t, st.ExcludeVoter(ctx, "a", "ann", "a robot", a))
	log, err := st.Actions(ctx, "a", 0, 10)
	ok(t, err)
	if len(log) != 2 || log[0].Verb != "create" || log[1].Seq <= log[0].Seq {
		t.Fatalf("actions %+v", log)
	}
	a.Seq, a.Board = log[1].Seq, "a"
	same(t, "action", log[1], a)
	rest, err := st.Actions(ctx, "", log[0].Seq, 10)
	ok(t, err)
	if len(rest) != 2 {
		t.Fatalf("%d actions after the first of three", len(rest))
	}
}

func tokens(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	k := store.Token{Board: "a", Name: "ci", Hash: []byte{0, 1}, Scopes: []string{"read", "vote"}, Created: noon}
	ok(t, st.AddToken(ctx, k, act("new-token")))
	got, err := st.Token(ctx, []byte{0, 1})
	ok(t, err)
	same(t, "token", got, k)
	k2 := k
	k2.Hash = []byte{2}
	if err := st.AddToken(ctx, k2, act("new-token")); !errors.Is(err, store.ErrExists) {
		t.Fatalf("a name twice: %v", err)
	}
	ok(t, st.RevokeToken(ctx, "a", "ci", act("revoke-token")))
	all, err := st.Tokens(ctx, "a")
	ok(t, err)
	k.Revoked = true
	same(t, "tokens", all, []store.Token{k})
}

func snapshots(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	s := store.Snapshot{Board: "a", Kind: "single", Seq: 7, Action: 3, Bytes: []byte{0, 255, 7}, Time: noon}
	ok(t, st.PutSnapshot(ctx, s))
	s.Seq, s.Bytes = 9, []byte{1}
	ok(t, st.PutSnapshot(ctx, s))
	old := s
	old.Seq, old.Bytes = 8, []byte{2}
	ok(t, st.PutSnapshot(ctx, old)) // of a slower process
	got, err := st.Snapshot(ctx, "a", "single")
	ok(t, err)
	same(t, "snapshot", got, s)
}

func secrets(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	a, err := st.Secret(ctx, "cookies", []byte{1, 2})
	ok(t, err)
	b, err := st.Secret(ctx, "cookies", []byte{3})
	ok(t, err)
	same(t, "secret", [2][]byte{a, b}, [2][]byte{{1, 2}, {1, 2}})
	ok(t, st.DropSecret(ctx, "cookies"))
	ok(t, st.DropSecret(ctx, "cookies"))
	if _, err := st.Secret(ctx, "cookies", nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a secret that is not there: %v", err)
	}
	ok(t, st.Check(ctx))
}

// reopen: what was stored is there when it is opened again.
func reopen(t *testing.T, open Opener) {
	ctx := t.Context()
	st, place := open(t, "")
	setUp(t, ctx, st, "a")
	v, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k", 0, 1)})
	ok(t, err)
	ok(t, st.Close())
	if _, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "late", 0, 1)}); err == nil {
		t.Fatal("a closed store took a vote")
	}
	st, _ = open(t, place)
	defer st.Close()
	all, err := st.Votes(ctx, "", 0, 10)
	ok(t, err)
	same(t, "votes", all, []store.Vote{v})
	b, err := st.Board(ctx, "a")
	ok(t, err)
	same(t, "board", b, example("a"))
	next, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k2", 0, 1)})
	ok(t, err)
	if next.Seq <= v.Seq {
		t.Fatalf("seq %d after %d", next.Seq, v.Seq)
	}
}
