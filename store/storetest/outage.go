package storetest

import (
	"errors"
	"fmt"
	"testing"

	"palate/store"
)

// connections is more than a store keeps.
const connections = 32

// Outage checks that a store that can no longer write says so, loses nothing, and
// goes on when it can again. away may take effect after some votes.
func Outage(t *testing.T, st store.Store, away, back func()) {
	t.Helper()
	ctx := t.Context()
	setUp(t, ctx, st, "a")
	acknowledged := map[string]bool{}
	tell := func(k int) error {
		key := fmt.Sprint(k)
		v := vote("a", "ann", key, 0, 1)
		for range 50 {
			v.Reason += "a reason that takes room, "
		}
		_, _, err := st.Append(ctx, store.Entry{Vote: v})
		if err == nil {
			acknowledged[key] = true
		}
		return err
	}
	for k := range 5 {
		ok(t, tell(k))
	}
	away()
	var err error
	k := 5
	for ; k < 500; k++ {
		if err = tell(k); err != nil {
			break
		}
	}
	if !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("after %d votes: %v, want %v", k, err, store.ErrUnavailable)
	}
	if err := st.Check(ctx); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("no vote can be stored, and the check says %v", err)
	}
	back()
	for range connections { // some were made before, and are found broken one by one
		if st.Check(ctx) == nil {
			break
		}
	}
	for j := range 2 * k { // all again, and as many more
		ok(t, tell(j))
	}
	all := readAll(t, ctx, st, "a", 1000)
	if len(all) != 2*k || len(acknowledged) != 2*k {
		t.Fatalf("%d records of %d votes", len(all), 2*k)
	}
	ok(t, st.Check(ctx))
}

// Fill stores a board with so many votes.
func Fill(t *testing.T, st store.Store, votes int) {
	t.Helper()
	setUp(t, t.Context(), st, "a")
	for k := range votes {
		_, _, err := st.Append(t.Context(), store.Entry{Vote: vote("a", "ann", fmt.Sprint(k), 0, 1)})
		ok(t, err)
	}
}

// Another tries to store one more vote after Fill.
func Another(t *testing.T, st store.Store) error {
	_, _, err := st.Append(t.Context(), store.Entry{Vote: vote("a", "ann", "another", 0, 1)})
	return err
}
