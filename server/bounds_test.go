package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"palate/store"
)

// Of what a board has so many at most, or at least, it has so many whoever asks at once.
func TestBoundsHoldAtOnce(t *testing.T) {
	s, _ := start(t, Options{Webhooks: Webhooks{Hosts: []string{"*"}, Send: func(context.Context, string, string, []byte) error { return nil }}})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(3)}).Board.ID
	atOnce := func(n int, do func(k int)) {
		var all sync.WaitGroup
		for k := range n {
			all.Go(func() { do(k) })
		}
		all.Wait()
	}
	for range 10 {
		atOnce(3, func(k int) { s.ExcludeItem(ctx, b, "owner", fmt.Sprint("i", k), "out") })
		in := 0
		for _, i := range must(s.Items(ctx, b)) {
			if i.Excluded == "" {
				in++
			}
			if err := s.ExcludeItem(ctx, b, "owner", i.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
		if in != 2 {
			t.Fatalf("%d items are in", in)
		}
	}
	atOnce(MaxOwners+10, func(k int) { s.AddOwner(ctx, b, "owner", fmt.Sprint(k)) })
	if n := len(must(s.Owners(ctx, b))); n != MaxOwners {
		t.Errorf("%d further owners", n)
	}
	atOnce(mostHooks+10, func(k int) { s.AddWebhook(ctx, b, "owner", fmt.Sprint("https://hooks.example/", k), nil) })
	if n := len(must(s.Webhooks(ctx, b))); n != mostHooks {
		t.Errorf("%d webhooks", n)
	}
	atOnce(4, func(k int) {
		items := make([]NewItem, MaxItems/2)
		for i := range items {
			items[i].ID = fmt.Sprint(k, " ", i)
		}
		s.AddItems(ctx, b, "owner", items)
	})
	if n := len(must(s.Items(ctx, b))); n != 3+MaxItems/2 {
		t.Errorf("%d items", n)
	}
	slow := make(chan struct{})
	defer close(slow)
	under := make(chan error, 2*maxImports)
	for k := range 2 * maxImports {
		go func() {
			_, err := s.Import(ctx, b, "owner", fmt.Sprint(k), waiting(slow), store.ImportSettings{})
			under <- err
		}()
	}
	for range maxImports { // the others wait for the end of their file
		if err := <-under; !errors.Is(err, ErrTooMany) {
			t.Errorf("an import too many: %v", err)
		}
	}
}

// TestAuditIsWhole: nobody hides what they do behind ten thousand things that are of no interest.
func TestAuditIsWhole(t *testing.T) {
	for _, n := range []int{0, 1, page, page + 1, 2*page + 5} {
		s := &Service{store: manyActions{n: n}}
		if log := must(s.Audit(t.Context(), "b")); len(log) != n || n > 0 && log[n-1].Seq != int64(n) {
			t.Errorf("%d actions of %d", len(log), n)
		}
	}
}

// manyActions is a store of so many actions.
type manyActions struct {
	store.Store
	n int
}

func (m manyActions) Actions(_ context.Context, _ string, after int64, most int) (all []store.Action, err error) {
	for k := after; k < int64(m.n) && len(all) < most; k++ {
		all = append(all, store.Action{Seq: k + 1, Actor: "owner", Verb: "edit"})
	}
	return all, nil
}

// waiting is a file that does not come in before a channel is closed.
type waiting chan struct{}

func (w waiting) Read([]byte) (int, error) {
	<-w
	return 0, io.EOF
}
