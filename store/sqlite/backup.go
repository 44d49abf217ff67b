package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"palate/internal/atomicfile"
)

// backupStep is how many pages are copied before it is seen whether to go on.
const backupStep = 512

// Backup writes a copy of a database, as it is at one time, while a server may be writing
// to it. The copy is checked before it takes its place: it is whole or not there. Only
// its owner may read it.
func Backup(ctx context.Context, from, to string) error {
	if _, err := os.Stat(from); err != nil {
		return err
	}
	return written(ctx, to, func(aside string) error { return duplicate(ctx, at(from, "rw"), aside) })
}

// duplicate copies a database into a file, which is in one piece then. All pages are of one
// time: in write-ahead mode a transaction reads what was there when it began, and nobody
// waits for it.
func duplicate(ctx context.Context, from, to string) error {
	source, err := sql.Open("sqlite", from)
	if err != nil {
		return err
	}
	defer source.Close()
	c, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	var tables int
	if _, err := c.ExecContext(ctx, `BEGIN`); err != nil {
		return err
	}
	if err := c.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	if err := c.Raw(func(raw any) error { return copyPages(ctx, raw, to) }); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, `ROLLBACK`); err != nil {
		return err
	}
	copied, err := sql.Open("sqlite", at(to, "rw"))
	if err != nil {
		return err
	}
	_, err = copied.ExecContext(ctx, `PRAGMA journal_mode=DELETE`) // else it would want files beside it
	return errors.Join(err, copied.Close())
}

// copyPages copies the database of a connection into a file, some pages at a time.
func copyPages(ctx context.Context, raw any, to string) error {
	source, ok := raw.(interface {
		NewBackup(string) (*driver.Backup, error)
	})
	if !ok {
		return fmt.Errorf("store: the driver %T copies no databases", raw)
	}
	b, err := source.NewBackup(at(to, "rw"))
	if err != nil {
		return err
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, b.Finish())
		}
		if more, err = b.Step(backupStep); err != nil {
			return errors.Join(err, b.Finish())
		}
	}
	return b.Finish()
}

// Restore puts a backup in the place of a database that no server uses. One that holds
// boards is replaced only by force.
func Restore(ctx context.Context, from, to string, force bool) error {
	if err := check(ctx, from); err != nil {
		return fmt.Errorf("store: %s is no backup to restore: %w", from, err)
	}
	if _, err := os.Stat(to); err == nil {
		boards, err := boardsIn(ctx, to)
		switch {
		case err != nil && !force:
			return fmt.Errorf("store: %s: %w; --force replaces it", to, err)
		case boards > 0 && !force:
			return fmt.Errorf("store: %s has %d boards; --force replaces it", to, boards)
		}
		if err := alone(ctx, to); err != nil {
			return err
		}
	}
	// What the database before keeps beside itself is not of this one.
	return written(ctx, to, func(aside string) error {
		return errors.Join(duplicate(ctx, at(from, "ro"), aside), forget(to+"-wal"), forget(to+"-shm"))
	})
}

func forget(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// written has a database made aside, checks it, and puts it into its place.
func written(ctx context.Context, to string, make func(aside string) error) error {
	f, err := os.CreateTemp(filepath.Dir(to), ".palate-*.db") // of mode 600
	if err != nil {
		return err
	}
	aside := f.Name()
	undo := atomicfile.OnExit(func() { os.Remove(aside) })
	defer undo.Settle(func() error { return forget(aside) })
	if err := f.Close(); err != nil {
		return err
	}
	if err := make(aside); err != nil {
		return err
	}
	if err := check(ctx, aside); err != nil {
		return fmt.Errorf("store: what was written cannot be read back: %w", err)
	}
	if err := synced(aside); err != nil {
		return err
	}
	if err := os.Rename(aside, to); err != nil {
		return err
	}
	return synced(filepath.Dir(to))
}

// synced waits until a file, or the names in a folder, are on disk.
func synced(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// check says what is wrong with a database: pages that are damaged, or tables that are
// none of ours.
func check(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", at(path, "ro"))
	if err != nil {
		return err
	}
	defer db.Close()
	var says string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&says); err != nil {
		return err
	}
	if says != "ok" {
		return errors.New(says)
	}
	_, err = count(ctx, db)
	return err
}

// boardsIn counts the boards of a database.
func boardsIn(ctx context.Context, path string) (int, error) {
	db, err := sql.Open("sqlite", at(path, "rw"))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return count(ctx, db)
}

func count(ctx context.Context, db *sql.DB) (boards int, err error) {
	var votes int
	if err = db.QueryRowContext(ctx, `SELECT count(*), (SELECT count(*) FROM (SELECT 1 FROM votes LIMIT 1)) FROM boards`).Scan(&boards, &votes); err != nil {
		return 0, fmt.Errorf("it is no database of boards: %w", err)
	}
	return boards, nil
}

// alone says when somebody is using a database: an exclusive lock cannot be had then.
func alone(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=locking_mode(EXCLUSIVE)&_txlock=exclusive")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		if c, ok := code(err); ok && c&0xff == lib.SQLITE_BUSY {
			return fmt.Errorf("store: %s is in use: stop the server first", path)
		}
		return nil // damaged: it is to be replaced
	}
	return tx.Rollback()
}

// at is the address of a database that is there, to be read (ro) or written, too (rw).
func at(path, mode string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?mode=" + mode + "&_pragma=busy_timeout(5000)"
}
