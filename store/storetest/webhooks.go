package storetest

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"palate/store"
)

// webhooks: what was told of a board is noted by one worker at a time.
func webhooks(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	w := store.Webhook{ID: "w", Board: "a", URL: "https://example.org/x", Secret: []byte{0, 255}, Events: []string{"vote", "closed"}, Vote: 3, Action: 2, Settled: true, Created: noon}
	ok(t, st.AddWebhook(ctx, w, act("new-webhook")))
	same := func(board string, want ...store.Webhook) {
		t.Helper()
		got, err := st.Webhooks(ctx, board)
		ok(t, err)
		for k := range got {
			got[k].Until, got[k].Next = time.Time{}, time.Time{}
		}
		if len(got) != len(want) || len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("webhooks %+v, not %+v", got, want)
		}
	}
	same("a", w)
	same("", w)
	same("b")
	mine, err := st.ClaimWebhook(ctx, "w", "one", noon, noon.Add(time.Minute))
	ok(t, err)
	if _, err := st.ClaimWebhook(ctx, "w", "two", noon.Add(time.Second), noon.Add(time.Hour)); !errors.Is(err, store.ErrStale) {
		t.Errorf("two workers at once: %v", err)
	}
	mine.Vote, mine.Action, mine.Settled, mine.Tries, mine.Says, mine.Next = 9, 4, false, 2, "away", noon
	ok(t, st.NoteWebhook(ctx, mine))
	mine.Until, mine.Next = time.Time{}, time.Time{}
	same("a", mine)
	if _, err := st.ClaimWebhook(ctx, "w", "two", noon.Add(2*time.Minute), noon.Add(time.Hour)); err != nil {
		t.Errorf("after its time: %v", err)
	}
	if err := st.NoteWebhook(ctx, mine); !errors.Is(err, store.ErrStale) {
		t.Errorf("a note of who has lost it: %v", err)
	}
	if err := st.DropWebhook(ctx, "b", "w", act("drop-webhook")); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another board's: %v", err)
	}
	ok(t, st.DropWebhook(ctx, "a", "w", act("drop-webhook")))
	same("a")
}
