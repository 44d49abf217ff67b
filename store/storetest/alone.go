package storetest

import (
	"fmt"
	"sync"
	"testing"

	"palate/store"
)

// alone: a vote that fails does not take others with it, though they share a write.
func alone(t *testing.T, open Opener) {
	ctx, st := fresh(t, open)
	setUp(t, ctx, st, "a")
	setUp(t, ctx, st, "b")
	nul := vote("a", "ann", "nul", 0, 1)
	nul.Reason = "a\x00b"
	broken := vote("a", "ann", "broken", 0, 1)
	broken.Reason = "\xff"
	poison := []store.Vote{nul, broken, vote("a", "nobody", "k", 0, 1), vote("a", "ann", "far", 0, 99), vote("none", "ann", "k", 0, 1)}
	stop := make(chan struct{})
	var bad, good sync.WaitGroup
	for w := range 4 {
		bad.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-stop:
					return
				default:
				}
				v := poison[(w+k)%len(poison)]
				v.Key += fmt.Sprint(w, k)
				st.Append(ctx, store.Entry{Vote: v}) // some databases take some of them
			}
		})
	}
	const writers, each = 8, 25
	for w := range writers {
		good.Go(func() {
			for k := range each {
				if _, fresh, err := st.Append(ctx, store.Entry{Vote: vote("b", []string{"ann", "bob"}[w%2], fmt.Sprintf("%d-%d", w, k), 0, 1)}); err != nil || !fresh {
					t.Errorf("a good vote beside bad ones: %v, %v", fresh, err)
				}
			}
		})
	}
	good.Wait()
	close(stop)
	bad.Wait()
	if n := len(readAll(t, ctx, st, "b", 1000)); n != writers*each {
		t.Errorf("%d of %d votes are there", n, writers*each)
	}
}
