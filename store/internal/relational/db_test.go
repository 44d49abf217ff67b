package relational

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// TestGivenUpMidway: a transaction whose caller goes says so, at whatever step.
func TestGivenUpMidway(t *testing.T) {
	pool, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "x.db"))
	if err != nil {
		t.Fatal(err)
	}
	never := func(error) bool { return false }
	db := New(pool, pool, Dialect{Name: "sqlite", Away: never, Taken: never})
	defer db.Close()
	for name, step := range map[string]func(*sql.Tx) error{
		"statement": func(tx *sql.Tx) error {
			_, err := tx.Exec("CREATE TABLE x (y)")
			return err
		},
		"commit": func(*sql.Tx) error { return nil },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		err := db.change(ctx, name, func(tx *sql.Tx) error {
			cancel()
			for { // until the transaction has heard of it
				if _, err := tx.Exec("SELECT 1"); err != nil {
					break
				}
			}
			return step(tx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
