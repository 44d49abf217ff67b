package storetest

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"palate/store"
)

func comments(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	v, _, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k", 0, 1), Comment: "less salt 🧂"})
	ok(t, err)
	_, fresh, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k", 0, 1), Comment: "told again"})
	ok(t, err)
	_, _, err = st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k2", 0, 2)})
	ok(t, err)
	_, _, err = st.Append(ctx, store.Entry{Vote: vote("b", "ann", "k", 0, 1), Comment: "elsewhere"})
	ok(t, err)
	all, err := st.Comments(ctx, "a", 0, 10)
	ok(t, err)
	same(t, "comments", all, []store.Comment{{Seq: v.Seq, Voter: "ann", Left: 0, Right: 1, Outcome: v.Outcome, Text: "less salt 🧂", Time: noon}})
	if rest, err := st.Comments(ctx, "a", v.Seq, 10); err != nil || len(rest) != 0 || fresh {
		t.Errorf("%d comments after the last, %v", len(rest), err)
	}
}

func proposals(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	propose := func(id, voter string) error {
		return st.AddProposal(ctx, store.Proposal{Board: "a", ID: id, Voter: voter, Body: "Tea " + id, Created: noon}, 2, 3)
	}
	ok(t, propose("1", "ann"))
	ok(t, propose("2", "ann"))
	if err := propose("3", "ann"); !errors.Is(err, store.ErrQuota) {
		t.Errorf("one too many of a voter: %v", err)
	}
	ok(t, propose("4", "bob"))
	if err := propose("5", "bob"); !errors.Is(err, store.ErrQuota) {
		t.Errorf("one too many of a board: %v", err)
	}
	item := store.Item{ID: "tea", Kind: store.Text, Body: "Tea 1", Features: []float64{1, 2}, Created: noon}
	var won atomic.Int32
	var all sync.WaitGroup
	for range 6 { // by several owners at once
		all.Go(func() {
			p, err := st.Decide(ctx, "a", "1", &item, act("accept"))
			switch {
			case err == nil && p.State == store.Accepted && p.Item == 4:
				won.Add(1)
			case !errors.Is(err, store.ErrStale):
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	all.Wait()
	items, err := st.Items(ctx, "a")
	ok(t, err)
	if won.Load() != 1 || len(items) != 5 || items[4].Body != "Tea 1" {
		t.Errorf("accepted %d times, %d items", won.Load(), len(items))
	}
	if _, err := st.Decide(ctx, "a", "2", &item, act("accept")); !errors.Is(err, store.ErrExists) {
		t.Errorf("an item twice: %v", err)
	}
	_, err = st.Decide(ctx, "a", "2", nil, store.Action{Actor: "owner", Verb: "refuse", Reason: "there is one", Time: noon})
	ok(t, err)
	mine, err := st.Proposals(ctx, "a", "ann")
	ok(t, err)
	same(t, "proposals", mine, []store.Proposal{
		{Board: "a", ID: "1", Voter: "ann", Body: "Tea 1", State: store.Accepted, Item: 4, Created: noon},
		{Board: "a", ID: "2", Voter: "ann", Body: "Tea 2", State: store.Refused, Item: -1, Reason: "there is one", Created: noon},
	})
	every, err := st.Proposals(ctx, "a", "")
	ok(t, err)
	if len(every) != 3 {
		t.Errorf("%d proposals", len(every))
	}
}

func owners(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	eve := store.Owner{Board: "a", ID: "1", Name: "Eve", Hash: []byte{1, 0, 255}, Created: noon}
	ok(t, st.AddOwner(ctx, eve, act("add-owner")))
	all, err := st.Owners(ctx, "a")
	ok(t, err)
	same(t, "owners", all, []store.Owner{eve})
	ok(t, st.RemoveOwner(ctx, "a", "1", act("remove-owner")))
	all, err = st.Owners(ctx, "a")
	ok(t, err)
	if len(all) != 0 {
		t.Errorf("owners %+v", all)
	}
}

func renewal(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	_, err := st.AddVoter(ctx, store.Voter{Board: "a", ID: "cat", Subject: "link:1", Created: noon})
	ok(t, err)
	v, err := st.RenewVoter(ctx, "a", "cat", "", act("revoke-link"))
	ok(t, err)
	if _, err := st.VoterBySubject(ctx, "a", "link:1"); !errors.Is(err, store.ErrNotFound) || v.Renewed != 1 || v.Subject != "" {
		t.Errorf("a link that was taken away: %+v, %v", v, err)
	}
	v, err = st.RenewVoter(ctx, "a", "cat", "link:2", act("renew-link"))
	ok(t, err)
	got, err := st.VoterBySubject(ctx, "a", "link:2")
	ok(t, err)
	same(t, "renewed", got, v)
	if v.Renewed != 2 || v.ID != "cat" {
		t.Errorf("%+v", v)
	}
}

// erasure: of a voter's votes, comments and proposals nothing is left, and nothing that
// is written by somebody who does not know of it brings them back.
func erasure(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	for _, board := range []string{"a", "b"} {
		for _, who := range []string{"ann", "bob"} {
			_, _, err := st.Append(ctx, store.Entry{Vote: vote(board, who, "k", 0, 1), Comment: who + " says"})
			ok(t, err)
		}
	}
	ok(t, st.AddProposal(ctx, store.Proposal{Board: "a", ID: "1", Voter: "ann", Body: "Tea", Created: noon}, 9, 9))
	ok(t, st.AddProposal(ctx, store.Proposal{Board: "a", ID: "2", Voter: "ann", Body: "Milk", Created: noon}, 9, 9))
	_, err := st.Decide(ctx, "a", "1", &store.Item{ID: "Tea", Kind: store.Text, Body: "Tea", Features: []float64{0, 0}}, act("accept"))
	ok(t, err)
	_, action, err := st.Ends(ctx)
	ok(t, err)
	for _, kind := range []string{"single", store.PackPrefix + "0"} {
		ok(t, st.PutSnapshot(ctx, store.Snapshot{Board: "a", Kind: kind, Seq: 9, Action: action, Bytes: []byte{1}, Time: noon}))
	}
	ok(t, st.EraseVoter(ctx, "a", "ann", store.Action{Actor: "ann", Reason: "deleted", Time: noon}))
	for board, want := range map[string]int{"a": 1, "b": 2} {
		votes, err := st.Votes(ctx, board, 0, 10)
		ok(t, err)
		said, err := st.Comments(ctx, board, 0, 10)
		ok(t, err)
		if len(votes) != want || len(said) != want || board == "a" && (votes[0].Voter != "bob" || said[0].Voter != "bob") {
			t.Errorf("board %s: votes %+v, comments %+v", board, votes, said)
		}
	}
	if p, err := st.Proposals(ctx, "a", ""); err != nil || len(p) != 0 {
		t.Errorf("proposals %+v, %v", p, err)
	}
	items, err := st.Items(ctx, "a")
	ok(t, err)
	if i := items[4]; i.Body != "" || i.ID != "deleted 4" || i.Excluded != "deleted" {
		t.Errorf("the item that was proposed: %+v", i)
	}
	for _, kind := range []string{"single", store.PackPrefix + "0"} {
		late := store.Snapshot{Board: "a", Kind: kind, Seq: 99, Action: action, Bytes: []byte{1}, Time: noon}
		ok(t, st.PutSnapshot(ctx, late)) // of a process that has not heard of it
		if s, err := st.Snapshot(ctx, "a", kind); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a snapshot with what was erased: %+v, %v", s, err)
		}
	}
	log, err := st.Actions(ctx, "a", action, 10)
	ok(t, err)
	if len(log) != 1 || log[0].Verb != store.Erased || log[0].Object != "ann" {
		t.Errorf("actions %+v", log)
	}
	ok(t, st.PutSnapshot(ctx, store.Snapshot{Board: "a", Kind: "single", Seq: 2, Action: log[0].Seq, Bytes: []byte{2}, Time: noon}))
	if s, err := st.Snapshot(ctx, "a", "single"); err != nil || s.Seq != 2 {
		t.Errorf("a snapshot without it: %+v, %v", s, err)
	}
	if v, err := st.Voter(ctx, "a", "ann"); err != nil || v.ID != "ann" {
		t.Errorf("the voter: %+v, %v", v, err)
	}
	if _, fresh, err := st.Append(ctx, store.Entry{Vote: vote("a", "ann", "k", 0, 1)}); err != nil || !fresh {
		t.Errorf("a new vote: %v, %v", fresh, err)
	}
}

// drop: of a board nothing is left but the record of it; one that was not deleted, or was
// taken back, stays.
func drop(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	for _, board := range []string{"a", "b"} {
		_, _, err := st.Append(ctx, store.Entry{Vote: vote(board, "ann", "k", 0, 1), Comment: "why not"})
		ok(t, err)
		ok(t, st.AddProposal(ctx, store.Proposal{Board: board, ID: "1", Voter: "ann", Body: "Tea", Created: noon}, 9, 9))
		ok(t, st.AddOwner(ctx, store.Owner{Board: board, ID: "1", Name: "Eve", Hash: []byte("eve of " + board), Created: noon}, act("add-owner")))
		ok(t, st.AddToken(ctx, store.Token{Board: board, Name: "ci", Hash: []byte("ci of " + board), Created: noon}, act("new-token")))
		ok(t, st.PutMedia(ctx, store.Media{Board: board, Digest: "d", Type: "image/png", Bytes: []byte{1}}))
		ok(t, st.PutSnapshot(ctx, store.Snapshot{Board: board, Kind: "single", Seq: 1, Bytes: []byte{1}}))
		ok(t, st.NewImport(ctx, store.Import{ID: "i" + board, Board: board, Created: noon, Changed: noon, State: store.Receiving}, act("import")))
		ok(t, st.AddPart(ctx, "i"+board, 0, []byte{1}, noon))
	}
	if err := st.DropBoard(ctx, "a", noon.Add(time.Hour), act("drop")); !errors.Is(err, store.ErrStale) {
		t.Fatalf("a board that was not deleted: %v", err)
	}
	ok(t, st.UpdateBoard(ctx, "a", func(b *store.Board) error { b.Rules.Deleted = noon; return nil }, act("delete")))
	if err := st.DropBoard(ctx, "a", noon, act("drop")); !errors.Is(err, store.ErrStale) {
		t.Fatalf("a board that was deleted later: %v", err)
	}
	ok(t, st.DropBoard(ctx, "a", noon.Add(time.Hour), act("drop")))
	if _, err := st.Board(ctx, "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the board: %v", err)
	}
	for name, n := range map[string]func(board string) int{
		"items":     func(b string) int { x, _ := st.Items(ctx, b); return len(x) / 4 },
		"voters":    func(b string) int { x, _ := st.Voters(ctx, b); return len(x) / 2 },
		"votes":     func(b string) int { x, _ := st.Votes(ctx, b, 0, 9); return len(x) },
		"comments":  func(b string) int { x, _ := st.Comments(ctx, b, 0, 9); return len(x) },
		"proposals": func(b string) int { x, _ := st.Proposals(ctx, b, ""); return len(x) },
		"owners":    func(b string) int { x, _ := st.Owners(ctx, b); return len(x) },
		"tokens":    func(b string) int { x, _ := st.Tokens(ctx, b); return len(x) },
		"imports":   func(b string) int { x, _ := st.Imports(ctx, b); return len(x) },
		"parts":     func(b string) int { x, _ := st.Part(ctx, "i"+b, 0); return len(x) },
		"pictures":  func(b string) int { x, _ := st.Media(ctx, b, "d"); return len(x.Bytes) },
		"snapshots": func(b string) int { x, _ := st.Snapshot(ctx, b, "single"); return len(x.Bytes) },
	} {
		if a, b := n("a"), n("b"); a != 0 || b != 1 {
			t.Errorf("%s: %d of the board that was dropped, %d of the other", name, a, b)
		}
	}
	log, err := st.Actions(ctx, "a", 0, 10)
	ok(t, err)
	if len(log) != 1 || log[0].Verb != "drop" {
		t.Errorf("actions %+v", log)
	}
}
