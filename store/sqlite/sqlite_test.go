package sqlite

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"palate/store"
	"palate/store/storetest"
)

func opened(t *testing.T, at string) (store.Store, string) {
	if at == "" {
		at = filepath.Join(t.TempDir(), "with space?.db")
	}
	st, err := Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	return st, at
}

func TestStore(t *testing.T) { storetest.Run(t, opened) }

func TestMigrations(t *testing.T) {
	entries, err := files.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	storetest.Migrations(t, len(entries), func(t *testing.T, version int) (*sql.DB, string) {
		at := filepath.Join(t.TempDir(), strconv.Itoa(version))
		db, err := connect(at, "immediate")
		if err == nil {
			err = migrate(t.Context(), db, int64(version))
		}
		if err != nil {
			t.Fatal(err)
		}
		return db, at
	}, opened)
}

// TestVersion3 opens a file that was written before there were ballots.
func TestVersion3(t *testing.T) {
	packed, err := os.Open("testdata/version3.db.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	in, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	file, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(at, file, 0o600); err != nil {
		t.Fatal(err)
	}
	st, _ := opened(t, at)
	defer st.Close()
	storetest.Version3(t, st)
}

// TestSafety reads back the settings that make a vote durable.
func TestSafety(t *testing.T) {
	db, err := connect(filepath.Join(t.TempDir(), "x.db"), "immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"} {
		var got string
		if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", pragma, got, want, err)
		}
	}
}

// TestFull fills the file up to its limit: the error says so, and when there is
// room again votes go on, and none is lost or twice.
func TestFull(t *testing.T) {
	st, db, err := open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	storetest.Outage(t, st, func() { pages(t, db, 0) }, func() { pages(t, db, 1<<30) })
}

// pages sets the number of pages that a file may have: at least what it has.
func pages(t *testing.T, db *sql.DB, most int) {
	t.Helper()
	if err := db.QueryRow("PRAGMA max_page_count = " + strconv.Itoa(max(most, 1))).Scan(&most); err != nil {
		t.Fatal(err)
	}
}

// TestReadOnly makes the connection read-only for a while; a mode of the file
// would not stop root.
func TestReadOnly(t *testing.T) {
	st, db, err := open(t.Context(), filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	only := func(on string) func() {
		return func() {
			if _, err := db.Exec("PRAGMA query_only = " + on); err != nil {
				t.Fatal(err)
			}
		}
	}
	storetest.Outage(t, st, only("1"), only("0"))
}

// TestDamaged overwrites one page of the file after the other: when a vote cannot be
// stored, the check says so.
func TestDamaged(t *testing.T) {
	at := filepath.Join(t.TempDir(), "x.db")
	st, _ := opened(t, at)
	storetest.Fill(t, st, 300)
	st.Close()
	whole, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	hurt := 0
	for p := 1; p < len(whole)/page; p++ {
		file := slices.Clone(whole)
		for k := range page {
			file[p*page+k] = byte(k * 7)
		}
		at := filepath.Join(t.TempDir(), "x.db")
		if err := os.WriteFile(at, file, 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := Open(t.Context(), at)
		if err != nil {
			continue // it does not even start
		}
		check := st.Check(t.Context())
		if vote := storetest.Another(t, st); vote != nil {
			hurt++
			if check == nil {
				t.Errorf("page %d: %v, and the check says nothing", p, vote)
			}
		}
		st.Close()
	}
	if hurt == 0 {
		t.Error("no page matters")
	}
}

// TestDamagedUnderway overwrites the file of a store that is open, which has some of it in
// memory: when a board cannot be read any more, the check says so.
func TestDamagedUnderway(t *testing.T) {
	st, at := opened(t, "")
	defer st.Close()
	storetest.Fill(t, st, 30)
	for _, path := range []string{at, at + "-wal"} {
		s, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(bytes.Repeat([]byte{7}, int(s.Size()))); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if err := st.Check(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		_, read := st.Board(t.Context(), "a")
		t.Errorf("the check says %v, and reading the board %v", err, read)
	}
}

// TestNoFolder says what is wrong with a place that cannot be.
func TestNoFolder(t *testing.T) {
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "no", "x.db")); !errors.Is(err, store.ErrUnavailable) {
		t.Fatalf("no folder: %v", err)
	}
}
