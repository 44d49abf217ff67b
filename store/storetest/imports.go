package storetest

import (
	"errors"
	"testing"
	"time"

	"palate/store"
)

// files: an import goes on slice by slice, each all or none, by one worker at a time;
// what it says to have added is what is there.
func files(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	i := store.Import{ID: "i", Board: "a", Actor: "owner", Name: "votes.csv", Settings: store.ImportSettings{SkipBad: true}, Created: noon}
	ok(t, st.NewImport(ctx, i, act("import")))
	ok(t, st.AddPart(ctx, "i", 0, []byte{1, 0, 2}, noon))
	ok(t, st.AddPart(ctx, "i", 1, []byte{3}, noon))
	if b, err := st.Part(ctx, "i", 1); err != nil || string(b) != "\x03" {
		t.Fatalf("part %v, %v", b, err)
	}
	if _, err := st.Part(ctx, "i", 2); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("no part: %v", err)
	}
	later := noon.Add(time.Minute)
	got, err := st.ClaimImport(ctx, "i", "one", noon, later)
	ok(t, err)
	if got.State != store.Running || !got.Settings.SkipBad || got.Name != i.Name {
		t.Fatalf("claimed %+v", got)
	}
	_, err = st.ClaimImport(ctx, "i", "two", noon, later)
	stale(t, "claimed by two", err)
	ok(t, st.NoteImport(ctx, "i", "one", 4, 1, later))
	slice := store.Slice{Import: "i", Worker: "one", From: 0, To: 2, Until: later, Votes: []store.Vote{vote("a", "ann", "f0", 0, 1), vote("a", "bob", "f1", 0, 1)}}
	bad := slice
	bad.Votes = []store.Vote{vote("a", "ann", "f0", 0, 1), vote("a", "nobody", "f1", 0, 1)}
	if _, err := st.AppendSlice(ctx, bad); err == nil {
		t.Fatal("a vote of nobody was stored")
	}
	fresh, err := st.AppendSlice(ctx, slice)
	ok(t, err)
	if len(fresh) != 2 || fresh[0].Seq == 0 {
		t.Fatalf("fresh %+v", fresh)
	}
	_, err = st.AppendSlice(ctx, slice)
	stale(t, "the same slice again", err)
	_, err = st.ClaimImport(ctx, "i", "two", later.Add(1e6), later.Add(2e6)) // the first has not said anything since
	ok(t, err)
	slice.From, slice.To, slice.Votes = 2, 4, []store.Vote{vote("a", "ann", "f1", 0, 2), vote("a", "bob", "f1", 0, 1)}
	_, err = st.AppendSlice(ctx, slice)
	stale(t, "a slice of one who was given up", err)
	slice.Worker = "two"
	if fresh, err = st.AppendSlice(ctx, slice); err != nil || len(fresh) != 1 {
		t.Fatalf("one was there before: %+v, %v", fresh, err)
	}
	end := got
	end.State, end.Changed = store.Cancelled, later
	ok(t, st.EndImport(ctx, "i", "", end, act("cancel-import")))
	stale(t, "over", st.EndImport(ctx, "i", "", end, act("cancel-import")))
	slice.From, slice.To, slice.Votes = 4, 5, []store.Vote{vote("a", "ann", "f4", 0, 3)}
	_, err = st.AppendSlice(ctx, slice)
	stale(t, "a slice of what was cancelled", err)
	all, err := st.Imports(ctx, "a")
	ok(t, err)
	if len(all) != 1 || all[0].Added != 3 || all[0].Done != 4 || all[0].Rows != 4 || all[0].State != store.Cancelled || len(readAll(t, ctx, st, "a", 100)) != 3 {
		t.Fatalf("imports %+v", all)
	}
	if _, err := st.Part(ctx, "i", 0); !errors.Is(err, store.ErrNotFound) {
		t.Fatalf("the file of an import that is over: %v", err)
	}
	if open, err := st.Imports(ctx, ""); err != nil || len(open) != 0 {
		t.Fatalf("not over: %+v, %v", open, err)
	}
	voters, err := st.AddVoters(ctx, []store.Voter{{Board: "a", ID: "x", Name: "X", Subject: "s", Created: noon}, {Board: "a", ID: "y", Subject: "t", Created: noon}})
	ok(t, err)
	again, err := st.AddVoters(ctx, []store.Voter{{Board: "a", ID: "z", Subject: "s", Created: noon}})
	ok(t, err)
	if len(voters) != 2 || len(again) != 1 || again[0].ID != "x" {
		t.Fatalf("voters %+v, then %+v", voters, again)
	}
}
