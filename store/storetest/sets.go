package storetest

import (
	"errors"
	"testing"

	"palate"
	"palate/store"
)

// sets: an answer about several items is one vote, which is stored once, closes the
// question about the same items and no other, counts once for a quota, and comes back as
// it was told.
func sets(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	ok(t, st.UpdateBoard(ctx, "a", func(b *store.Board) error { b.Rules.Quota = 2; return nil }, act("rules")))
	asked := store.NewSet(store.Ranking, []int{3, 0, 1}, nil)
	ok(t, st.Pose(ctx, "a", "ann", store.Ballot{}, store.Question{Key: "q", Left: 0, Right: 1, Set: asked, Time: noon}))
	tell := func(key string, way store.Way, items, places []int) (store.Vote, error) {
		v := vote("a", "ann", key, 0, 1)
		v.Outcome = palate.Left
		if items != nil {
			v.Set = store.NewSet(way, items, places)
		}
		stored, _, err := st.Append(ctx, store.Entry{Vote: v, Comment: "because"})
		return stored, err
	}
	_, err := tell("pair", store.Pairs, nil, nil) // of two that are also in the set
	ok(t, err)
	if b, err := st.Ballot(ctx, "a", "ann"); err != nil || b.Open.Key != "q" || b.Open.Set != asked {
		t.Fatalf("a vote on a pair of a set: %+v, %v", b, err)
	}
	first, err := tell("q", store.Ranking, []int{3, 0, 1}, []int{2, 0, 1})
	ok(t, err)
	if b, err := st.Ballot(ctx, "a", "ann"); err != nil || b.Open.Key != "" {
		t.Fatalf("a set that was answered is still asked: %+v, %v", b, err)
	}
	again, err := tell("q", store.Ranking, []int{3, 0, 1}, []int{0, 1, 2})
	ok(t, err)
	same(t, "told again", again, first)
	if _, err := tell("third", store.Choice, []int{0, 1, 2}, []int{0, 1, 1}); !errors.Is(err, store.ErrQuota) {
		t.Errorf("a third vote of two: %v", err)
	}
	last, err := tell("anew", store.Choice, []int{1, 3, 0}, []int{1, 1, 0}) // the same items: in place of the first
	ok(t, err)
	all, err := st.Votes(ctx, "a", 0, 10)
	ok(t, err)
	if len(all) != 3 {
		t.Fatalf("%d votes", len(all))
	}
	same(t, "votes", all[1:], []store.Vote{first, last})
	said, err := st.Comments(ctx, "a", 0, 10)
	ok(t, err)
	if len(said) != 3 || said[0].Set != "" || said[2].Set != last.Set {
		t.Errorf("comments %+v", said)
	}
}
