package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"palate/store"
	"palate/store/sqlite"
)

// TestBackup: a backup that is made while votes come in is the state at one time, with all
// votes that were acknowledged before it began; what is restored is what was backed up;
// a database with boards is replaced by force only, and one in use not at all.
func TestBackup(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	path, copied, other := filepath.Join(dir, "p.db"), filepath.Join(dir, "copy.db"), filepath.Join(dir, "other.db")
	if sqlite.Backup(ctx, path, copied) == nil {
		t.Error("a database that is not there was backed up")
	}
	st, err := sqlite.Open(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	if err := st.CreateBoard(ctx, store.Board{ID: "b", Created: at}, []store.Item{{ID: "x"}, {ID: "y", Number: 1}}, store.Action{Time: at}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.AddVoter(ctx, store.Voter{Board: "b", ID: "v", Created: at}); err != nil {
		t.Fatal(err)
	}
	vote := func(k int) {
		if _, _, err := st.Append(ctx, store.Entry{Vote: store.Vote{Board: "b", Voter: "v", Key: fmt.Sprint(k), Right: 1, Time: at}}); err != nil {
			t.Error(err)
		}
	}
	for k := range 50 {
		vote(k)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for k := 50; ; k++ {
			select {
			case <-stop:
				return
			default:
				vote(k)
			}
		}
	})
	for range 3 {
		if err := sqlite.Backup(ctx, path, copied); err != nil {
			t.Fatal(err)
		}
	}
	if err := sqlite.Restore(ctx, copied, path, true); err == nil {
		t.Error("a database in use was replaced")
	}
	close(stop)
	wg.Wait()
	all, err := st.Votes(ctx, "b", 0, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(copied); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", s.Mode(), err)
	}
	if err := sqlite.Restore(ctx, copied, other, false); err != nil {
		t.Fatal(err)
	}
	if sqlite.Restore(ctx, copied, other, false) == nil {
		t.Error("a database with boards was replaced without force")
	}
	if err := sqlite.Restore(ctx, copied, other, true); err != nil {
		t.Fatal(err)
	}
	back, err := sqlite.Open(ctx, other)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	got, err := back.Votes(ctx, "b", 0, 1e6)
	if err != nil || len(got) < 50 || len(got) > len(all) || !slices.Equal(got, all[:len(got)]) {
		t.Errorf("%d votes of %d, %v", len(got), len(all), err)
	}
	damaged := filepath.Join(dir, "damaged.db")
	b, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	for k := 5000; k < len(b); k += 100 {
		b[k] ^= 0xff
	}
	if err := os.WriteFile(damaged, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{damaged, filepath.Join(dir, "none.db")} {
		if sqlite.Restore(ctx, bad, filepath.Join(dir, "new.db"), true) == nil {
			t.Errorf("%s was restored", bad)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".palate-*")); err != nil || len(left) > 0 {
		t.Errorf("%v was left behind, %v", left, err)
	}
}
