// Package sqlite keeps boards and votes in one file, for one server.
//
//	st, err := sqlite.Open(ctx, "palate.db")
//
// The file is created when it is not there, and brought up to date when it was
// written by an earlier version. It is in write-ahead mode with full
// synchronisation: a vote that was acknowledged survives a crash of the process
// and the loss of power. Only its owner may read it. Beside it there are two files of the same name with -wal
// and -shm while it is in use.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/pressly/goose/v3"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"palate/store"
	"palate/store/internal/relational"
)

//go:embed migrations/*.sql
var files embed.FS

// Open opens the store in a file.
func Open(ctx context.Context, path string) (store.Store, error) {
	st, _, err := open(ctx, path)
	return st, err
}

// open also returns the connection that writes.
func open(ctx context.Context, path string) (store.Store, *sql.DB, error) {
	if err := own(path); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", store.ErrUnavailable, err)
	}
	write, err := connect(path, "immediate")
	if err != nil {
		return nil, nil, err
	}
	write.SetMaxOpenConns(1)
	if err := migrate(ctx, write, 0); err != nil {
		write.Close()
		if away(err) {
			return nil, nil, fmt.Errorf("%w: %s: %w", store.ErrUnavailable, path, err)
		}
		return nil, nil, fmt.Errorf("store: %s: %w", path, err)
	}
	read, err := connect(path, "deferred")
	if err != nil {
		write.Close()
		return nil, nil, err
	}
	read.SetMaxOpenConns(4)
	return relational.New(read, write, relational.Dialect{Name: "sqlite", Most: 96, Away: away, Taken: taken}), write, nil
}

// own makes the file, and what SQLite keeps beside it, readable by its owner only. A
// file that is there is not opened: to close it would end the locks of this process.
func own(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return f.Close() // SQLite gives the same mode to the files beside it
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if s, err := os.Stat(name); err == nil && s.Mode().Perm()&0o077 != 0 {
			if err := os.Chmod(name, s.Mode().Perm()&0o700); err != nil {
				return fmt.Errorf("others may read it, and that cannot be changed: %w", err)
			}
		}
	}
	return nil
}

func connect(path, lock string) (*sql.DB, error) {
	q := url.Values{"_txlock": {lock}, "_pragma": {
		"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "foreign_keys(1)", "cache_size(-32000)", "temp_store(MEMORY)", "secure_delete(1)",
	}}
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+q.Encode())
}

// migrate brings the tables to a version, 0 for the newest.
func migrate(ctx context.Context, db *sql.DB, version int64) error {
	return relational.Migrate(ctx, db, files, version, goose.DialectSQLite3)
}

func code(err error) (int, bool) {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code(), true
	}
	return 0, false
}

// away reports a disk that is full, gone or read-only, or a file in use or damaged.
func away(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	c, ok := code(err)
	if !ok {
		return false
	}
	switch c & 0xff {
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_PROTOCOL,
		lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB:
		return true
	}
	return false
}

func taken(err error) bool {
	c, _ := code(err)
	return c == lib.SQLITE_CONSTRAINT_UNIQUE || c == lib.SQLITE_CONSTRAINT_PRIMARYKEY
}
