package storetest

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"palate/store"
)

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func boards(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	a := example("a")
	ok(t, st.CreateBoard(ctx, a, exampleItems(), act("create")))
	b := store.Board{ID: "b", Access: store.Open, Created: noon.Add(1e9)}
	ok(t, st.CreateBoard(ctx, b, nil, act("create")))
	got, err := st.Board(ctx, "a")
	ok(t, err)
	same(t, "board", got, a)
	if err := st.CreateBoard(ctx, a, nil, act("create")); !errors.Is(err, store.ErrExists) {
		t.Fatalf("a board twice: %v", err)
	}
	a.Closed, a.Public, a.Title, a.Settings.Goal, a.OwnerHash, a.Password = true, false, "Dinner", "best", []byte{9}, ""
	a.Rules.Quota, a.Rules.Closes, a.Question = 7, noon, "Which?"
	change := func(b *store.Board) error { *b = a; b.Space = nil; return nil }
	ok(t, st.UpdateBoard(ctx, "a", change, act("close")))
	no := errors.New("no")
	if err := st.UpdateBoard(ctx, "a", func(b *store.Board) error { b.Title = "Supper"; return no }, act("edit")); err != no {
		t.Fatalf("a change that is not wanted: %v", err)
	}
	all, err := st.Boards(ctx)
	ok(t, err)
	if len(all) != 2 {
		t.Fatalf("%d boards", len(all))
	}
	same(t, "changed board", all[0], a)
	if all[1].ID != "b" {
		t.Fatalf("second board is %q", all[1].ID)
	}
}

func items(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	ok(t, st.CreateBoard(ctx, example("a"), exampleItems(), act("create")))
	added, err := st.AddItems(ctx, "a", []store.Item{{ID: "tea", Kind: store.Text, Body: "Tea", Features: []float64{1, 2}, Created: noon}}, act("add-items"))
	ok(t, err)
	want := append(exampleItems(), store.Item{ID: "tea", Kind: store.Text, Body: "Tea", Features: []float64{1, 2}, Created: noon})
	for k := range want {
		want[k].Board, want[k].Number = "a", k
	}
	same(t, "added", added, want[4:])
	got, err := st.Items(ctx, "a")
	ok(t, err)
	same(t, "items", got, want)
	// All or none: the second of these is there already.
	_, err = st.AddItems(ctx, "a", []store.Item{{ID: "new"}, {ID: "pie"}}, act("add-items"))
	if !errors.Is(err, store.ErrExists) {
		t.Fatalf("an item twice: %v", err)
	}
	ok(t, st.ExcludeItem(ctx, "a", 1, "not food", act("exclude-item")))
	want[1].Excluded = "not food"
	got, err = st.Items(ctx, "a")
	ok(t, err)
	same(t, "after exclusion", got, want)
}

func media(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	m := store.Media{Board: "a", Digest: "sha256:aa", Type: "image/png", Bytes: []byte{0, 1, 2, 255}}
	ok(t, st.PutMedia(ctx, m))
	ok(t, st.PutMedia(ctx, m))
	got, err := st.Media(ctx, "a", m.Digest)
	ok(t, err)
	same(t, "picture", got, m)
	if _, err := st.Media(ctx, "b", m.Digest); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("picture of another board: %v", err)
	}
}

func voters(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	cat := store.Voter{Board: "a", ID: "cat", Name: "Cat", Group: "staff", Subject: "link:1", Created: noon.Add(1e9)}
	got, err := st.AddVoter(ctx, cat)
	ok(t, err)
	same(t, "voter", got, cat)
	got, err = st.AddVoter(ctx, store.Voter{Board: "a", ID: "dog", Subject: "link:1", Created: noon})
	ok(t, err)
	same(t, "the same subject", got, cat)
	_, err = st.AddVoter(ctx, store.Voter{Board: "b", ID: "cat", Subject: "link:1", Created: noon})
	ok(t, err) // on another board it is somebody else
	if _, err := st.AddVoter(ctx, store.Voter{Board: "a", ID: "ann"}); !errors.Is(err, store.ErrExists) {
		t.Fatalf("a voter twice: %v", err)
	}
	ok(t, st.ExcludeVoter(ctx, "a", "cat", "a robot", act("exclude-voter")))
	cat.Excluded = "a robot"
	got, err = st.VoterBySubject(ctx, "a", "link:1")
	ok(t, err)
	same(t, "by subject", got, cat)
	got, err = st.Voter(ctx, "a", "cat")
	ok(t, err)
	same(t, "by identifier", got, cat)
	all, err := st.Voters(ctx, "a")
	ok(t, err)
	if len(all) != 3 || all[0].ID != "ann" || all[2].ID != "cat" {
		t.Fatalf("voters %+v", all)
	}
}

func unknown(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	for what, err := range map[string]error{
		"board":         second(st.Board(ctx, "z")),
		"update":        st.UpdateBoard(ctx, "z", func(*store.Board) error { return nil }, act("close")),
		"add items":     second(st.AddItems(ctx, "z", exampleItems(), act("add-items"))),
		"exclude item":  st.ExcludeItem(ctx, "a", 17, "", act("exclude-item")),
		"voter":         second(st.Voter(ctx, "a", "z")),
		"no subject":    second(st.VoterBySubject(ctx, "a", "")),
		"exclude voter": st.ExcludeVoter(ctx, "a", "z", "", act("exclude-voter")),
		"media":         second(st.Media(ctx, "a", "z")),
		"token":         second(st.Token(ctx, []byte("z"))),
		"revoke":        st.RevokeToken(ctx, "a", "z", act("revoke-token")),
		"snapshot":      second(st.Snapshot(ctx, "a", "z")),
		"renew":         second(st.RenewVoter(ctx, "a", "z", "", act("revoke-link"))),
		"erase":         st.EraseVoter(ctx, "a", "z", act("")),
		"drop":          st.DropBoard(ctx, "z", noon, act("drop")),
		"remove owner":  st.RemoveOwner(ctx, "a", "z", act("remove-owner")),
		"decide":        second(st.Decide(ctx, "a", "z", nil, act("refuse"))),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	// What failed left no record.
	log, err := st.Actions(ctx, "", 0, 100)
	ok(t, err)
	if len(log) != 1 {
		t.Errorf("%d actions, want only the creation: %+v", len(log), log)
	}
}

func second[T any](_ T, err error) error { return err }

// text comes back as it went in.
func text(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	for k, s := range []string{"", "a'b\"c", "<b>&amp;", "日本語 🍣", "line\nline\r\n\ttab", "$1; DROP TABLE votes; --", strings.Repeat("x", 20_000)} {
		id := string(rune('a' + k))
		b := store.Board{ID: id, Title: s, Question: s, Created: noon}
		ok(t, st.CreateBoard(ctx, b, []store.Item{{ID: "i" + s, Body: s, Kind: store.Text}}, store.Action{Reason: s}))
		got, err := st.Board(ctx, id)
		ok(t, err)
		same(t, "board", got, b)
		items, err := st.Items(ctx, id)
		ok(t, err)
		same(t, "body", items[0].Body, s)
		log, err := st.Actions(ctx, id, 0, 1)
		ok(t, err)
		same(t, "reason", log[0].Reason, s)
	}
}
