// Package postgres keeps boards and votes in PostgreSQL, for several servers at
// once.
//
//	st, err := postgres.Open(ctx, "postgres://palate@localhost/palate")
//
// The tables are created when they are not there, and brought up to date when
// they were made by an earlier version; servers that start together wait for
// one another. Connections that break are made anew.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"palate/store"
	"palate/store/internal/relational"
)

//go:embed migrations/*.sql
var files embed.FS

// writing is the number of the advisory lock under which records are numbered.
const writing = 0x70616c617465 // "palate"

// Open connects to a database.
func Open(ctx context.Context, dsn string) (store.Store, error) {
	db, err := connect(dsn)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, db, 0); err != nil {
		db.Close()
		if away(err) {
			return nil, fmt.Errorf("%w: postgres: %w", store.ErrUnavailable, err)
		}
		return nil, fmt.Errorf("store: postgres: %w", err)
	}
	return relational.New(db, db, relational.Dialect{
		Name: "postgres", Most: 12 * 256, Numbered: true, Lock: fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, writing), Away: away, Taken: taken, Unreadable: unreadable,
	}), nil
}

func connect(dsn string) (*sql.DB, error) {
	c, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("store: postgres: %w", err)
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 3*time.Second)
	db := stdlib.OpenDB(*c)
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(8)
	return db, nil
}

// migrate brings the tables to a version, 0 for the newest.
func migrate(ctx context.Context, db *sql.DB, version int64) error {
	one, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60)) // looks every second
	if err != nil {
		return err
	}
	return relational.Migrate(ctx, db, files, version, goose.DialectPostgres, goose.WithSessionLocker(one))
}

// away reports a server that cannot be reached, or has no room, or is read-only.
func away(err error) bool {
	var refused *pgconn.ConnectError
	var network net.Error
	var said *pgconn.PgError
	switch {
	case errors.As(err, &said):
		return strings.HasPrefix(said.Code, "08") || strings.HasPrefix(said.Code, "53") || strings.HasPrefix(said.Code, "57") || said.Code == "25006"
	case errors.As(err, &refused), errors.As(err, &network), pgconn.Timeout(err):
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "conn closed")
}

func taken(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && said.Code == "23505"
}

// unreadable reports text with a NUL, or that is not UTF-8.
func unreadable(err error) bool {
	var said *pgconn.PgError
	return errors.As(err, &said) && (said.Code == "22021" || said.Code == "22P05")
}
