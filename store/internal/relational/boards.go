package relational

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"palate/store"
)

const boardColumns = `id, title, question, access, closed, public, settings, features, owner_hash, password, created, rules`

// CreateBoard implements store.Store.
func (db *DB) CreateBoard(ctx context.Context, b store.Board, items []store.Item, a store.Action) error {
	settings, features, rules, err := encoded(b)
	if err != nil {
		return err
	}
	return db.change(ctx, fmt.Sprintf("board %q", b.ID), func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO boards (`+boardColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			b.ID, b.Title, b.Question, string(b.Access), b.Closed, b.Public, settings, features, b.OwnerHash, b.Password, micros(b.Created), rules); err != nil {
			return err
		}
		if err := addItems(ctx, tx, b.ID, 0, items); err != nil {
			return err
		}
		a.Board = b.ID
		return record(ctx, tx, a)
	})
}

func encoded(b store.Board) (settings, features, rules string, err error) {
	s, err := json.Marshal(settled{b.Settings, b.Space})
	if err != nil {
		return "", "", "", fmt.Errorf("store: settings: %w", err)
	}
	f, err := json.Marshal(b.Features)
	if err != nil {
		return "", "", "", fmt.Errorf("store: features: %w", err)
	}
	r, err := json.Marshal(b.Rules)
	if err != nil {
		return "", "", "", fmt.Errorf("store: rules: %w", err)
	}
	return string(s), string(f), string(r), nil
}

// settled is what is kept of a board as its settings.
type settled struct {
	store.Settings
	Space *store.Space `json:"space,omitempty"`
}

func scanBoard(scan func(...any) error) (store.Board, error) {
	var b store.Board
	var access, settings, features, rules string
	var created int64
	if err := scan(&b.ID, &b.Title, &b.Question, &access, &b.Closed, &b.Public, &settings, &features, &b.OwnerHash, &b.Password, &created, &rules); err != nil {
		return b, err
	}
	b.Access, b.Created = store.Access(access), instant(created)
	var set settled
	if err := json.Unmarshal([]byte(settings), &set); err != nil {
		return b, fmt.Errorf("settings of board %s: %w", b.ID, err)
	}
	b.Settings, b.Space = set.Settings, set.Space
	if err := json.Unmarshal([]byte(features), &b.Features); err != nil {
		return b, fmt.Errorf("features of board %s: %w", b.ID, err)
	}
	if err := json.Unmarshal([]byte(rules), &b.Rules); err != nil {
		return b, fmt.Errorf("rules of board %s: %w", b.ID, err)
	}
	return b, nil
}

// Board implements store.Store.
func (db *DB) Board(ctx context.Context, id string) (store.Board, error) {
	return one(ctx, db, fmt.Sprintf("board %q", id), scanBoard, `SELECT `+boardColumns+` FROM boards WHERE id = $1`, id)
}

// Boards implements store.Store.
func (db *DB) Boards(ctx context.Context) ([]store.Board, error) {
	return list(ctx, db, "boards", scanBoard, `SELECT `+boardColumns+` FROM boards ORDER BY created, id`)
}

// UpdateBoard implements store.Store.
func (db *DB) UpdateBoard(ctx context.Context, board string, how func(*store.Board) error, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("board %q", board), func(tx *sql.Tx) error {
		b, err := scanBoard(tx.QueryRowContext(ctx, `SELECT `+boardColumns+` FROM boards WHERE id = $1`, board).Scan)
		if err != nil {
			return err
		}
		space := b.Space
		if err := how(&b); err != nil {
			return ours{err}
		}
		b.Space = space
		settings, _, rules, err := encoded(b)
		if err != nil {
			return err
		}
		if err := must(tx.ExecContext(ctx, `UPDATE boards SET title = $2, question = $3, access = $4, closed = $5, public = $6, settings = $7, owner_hash = $8, password = $9, rules = $10 WHERE id = $1`,
			board, b.Title, b.Question, string(b.Access), b.Closed, b.Public, settings, b.OwnerHash, b.Password, rules)); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}

// ours is an error of who calls, handed back as it is.
type ours struct{ error }

// forms are the rows of a board, by table, those that others refer to last.
func forms() []string {
	return []string{
		`DELETE FROM snapshots WHERE board = $1`, `DELETE FROM tokens WHERE board = $1`, `DELETE FROM webhooks WHERE board = $1`, `DELETE FROM owners WHERE board = $1`,
		`DELETE FROM import_parts WHERE import IN (SELECT id FROM imports WHERE board = $1)`, `DELETE FROM imports WHERE board = $1`,
		`DELETE FROM proposals WHERE board = $1`, `DELETE FROM ballots WHERE board = $1`, `DELETE FROM voters WHERE board = $1`,
		`DELETE FROM items WHERE board = $1`, `DELETE FROM media WHERE board = $1`, `DELETE FROM actions WHERE board = $1`, `DELETE FROM boards WHERE id = $1`,
	}
}

// dropped is how many votes are removed at a time, so that others' have their turn.
const dropped = 10_000

// DropBoard implements store.Store.
func (db *DB) DropBoard(ctx context.Context, board string, before time.Time, a store.Action) error {
	mark := a
	mark.Verb += " begins"
	err := db.UpdateBoard(ctx, board, func(b *store.Board) error { // it cannot be taken back from here on
		if b.Rules.Deleted.IsZero() || !b.Rules.Deleted.Before(before) {
			return fmt.Errorf("%w: board %q is not deleted", store.ErrStale, board)
		}
		b.Rules.Gone = true
		return nil
	}, mark)
	for more := int64(dropped); err == nil && more == dropped; {
		err = db.change(ctx, fmt.Sprintf("board %q", board), func(tx *sql.Tx) error {
			const some = `(SELECT seq FROM votes WHERE board = $1 ORDER BY seq LIMIT $2)`
			if _, err := tx.ExecContext(ctx, `DELETE FROM comments WHERE seq IN `+some, board, dropped); err != nil {
				return err
			}
			r, err := tx.ExecContext(ctx, `DELETE FROM votes WHERE seq IN `+some, board, dropped)
			if err == nil {
				more, err = r.RowsAffected()
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	return db.change(ctx, fmt.Sprintf("board %q", board), func(tx *sql.Tx) error {
		for _, statement := range forms() {
			if _, err := tx.ExecContext(ctx, statement, board); err != nil {
				return err
			}
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}
