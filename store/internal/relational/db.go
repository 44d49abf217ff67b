package relational

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"palate/store"
)

// Dialect is what a database has of its own.
type Dialect struct {
	Name string
	// Most is how many values a statement on many rows takes at a time. SQLite's driver
	// looks each up among all, so that there few are quicker.
	Most int
	// Numbered says that placeholders of many rows at once have numbers.
	Numbered bool
	// Lock, if set, is the statement by which a transaction makes others wait.
	Lock string
	// Away reports whether an error means that the database cannot be reached or
	// written to just now.
	Away func(error) bool
	// Taken reports whether an error means that a unique value is there already.
	Taken func(error) bool
	// Unreadable, if set, reports whether an error means that a text cannot be stored.
	Unreadable func(error) bool
}

// DB is a store over a database whose tables are there.
type DB struct {
	read, write *sql.DB
	dialect     Dialect

	writes chan write
	stop   chan struct{} // closed to end the writing of votes
	ended  chan struct{} // closed when it has ended
	close  sync.Once
}

var _ store.Store = (*DB)(nil)

// New returns a store that reads and writes through the given connections, which
// may be one and the same. It closes them in the end.
func New(reader, writer *sql.DB, d Dialect) *DB {
	db := &DB{read: reader, write: writer, dialect: d, writes: make(chan write, maxGroup), stop: make(chan struct{}), ended: make(chan struct{})}
	go db.writeGroups()
	return db
}

// Close waits for votes under way.
func (db *DB) Close() error {
	var err error
	db.close.Do(func() {
		close(db.stop)
		<-db.ended
		err = db.write.Close()
		if db.read != db.write {
			err = errors.Join(err, db.read.Close())
		}
	})
	return err
}

// fail says what went wrong, in the words of package store.
func (db *DB) fail(what string, err error) error {
	var theirs ours
	switch {
	case err == nil:
		return nil
	case errors.As(err, &theirs):
		return theirs.error
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrExists), errors.Is(err, store.ErrUnavailable), errors.Is(err, store.ErrStale), errors.Is(err, store.ErrQuota):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: %s", store.ErrNotFound, what)
	case db.dialect.Taken(err):
		return fmt.Errorf("%w: %s", store.ErrExists, what)
	case db.dialect.Away(err):
		return fmt.Errorf("%w: %s: %w", store.ErrUnavailable, what, err)
	}
	return fmt.Errorf("store: %s: %s: %w", db.dialect.Name, what, err)
}

// change runs a transaction that writes.
func (db *DB) change(ctx context.Context, what string, work func(*sql.Tx) error) error {
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return db.fail(what, err)
	}
	defer tx.Rollback()
	if db.dialect.Lock != "" {
		if _, err := tx.ExecContext(ctx, db.dialect.Lock); err != nil {
			return db.fail(what, err)
		}
	}
	if err = work(tx); err == nil {
		err = tx.Commit()
	}
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // that is why it is done
		err = ctx.Err()
	}
	return db.fail(what, err)
}

// must turns a change of no row into store.ErrNotFound.
func must(r sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n == 0 {
		return sql.ErrNoRows
	}
	return err
}

// list collects rows.
func list[T any](ctx context.Context, db *DB, what string, scan func(func(...any) error) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, db.fail(what, err)
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		x, err := scan(rows.Scan)
		if err != nil {
			return nil, db.fail(what, err)
		}
		all = append(all, x)
	}
	return all, db.fail(what, rows.Err())
}

// one reads a single row.
func one[T any](ctx context.Context, db *DB, what string, scan func(func(...any) error) (T, error), query string, args ...any) (T, error) {
	x, err := scan(db.read.QueryRowContext(ctx, query, args...).Scan)
	if err != nil && db.dialect.Unreadable != nil && db.dialect.Unreadable(err) {
		err = sql.ErrNoRows // nothing has a name that cannot be stored
	}
	return x, db.fail(what, err)
}

// micros and instant turn times into numbers and back.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func instant(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
