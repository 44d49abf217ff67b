// Package testdb has fresh databases of every kind, for tests of what runs on
// them.
//
//	for kind, open := range testdb.Each(t) {
//		t.Run(kind, func(t *testing.T) { st := open() … })
//	}
//
// SQLite is always there; PostgreSQL where PALATE_POSTGRES is the address of a
// server, each test in a schema of its own.
package testdb

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"palate/store"
	"palate/store/postgres"
	"palate/store/sqlite"
)

// Each returns, by kind, a function that opens one fresh database, as often as it is
// called. Stores are closed, and databases removed, when the test ends.
func Each(t testing.TB) map[string]func() store.Store {
	t.Helper()
	opened := func(open func() (store.Store, error)) func() store.Store {
		return func() store.Store {
			st, err := open()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { st.Close() })
			return st
		}
	}
	file := filepath.Join(t.TempDir(), "x.db")
	all := map[string]func() store.Store{"sqlite": opened(func() (store.Store, error) { return sqlite.Open(t.Context(), file) })}
	dsn := os.Getenv("PALATE_POSTGRES")
	if dsn == "" {
		t.Log("PALATE_POSTGRES is not set: SQLite alone is tested")
		return all
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	db, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("palate_test_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := db.Exec(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec(context.Background(), "DROP SCHEMA "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
		db.Close(context.Background())
	})
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	all["postgres"] = opened(func() (store.Store, error) { return postgres.Open(t.Context(), u.String()) })
	return all
}
