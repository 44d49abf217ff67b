package relational

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"palate/store"
)

const boardColumns = `id, title, question, access, closed, public, settings, features, owner_hash, password, created`

// CreateBoard implements store.Store.
func (db *DB) CreateBoard(ctx context.Context, b store.Board, items []store.Item, a store.Action) error {
	settings, features, err := encoded(b)
	if err != nil {
		return err
	}
	return db.change(ctx, fmt.Sprintf("board %q", b.ID), func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO boards (`+boardColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			b.ID, b.Title, b.Question, string(b.Access), b.Closed, b.Public, settings, features, b.OwnerHash, b.Password, micros(b.Created)); err != nil {
			return err
		}
		if err := addItems(ctx, tx, b.ID, 0, items); err != nil {
			return err
		}
		a.Board = b.ID
		return record(ctx, tx, a)
	})
}

func encoded(b store.Board) (settings, features string, err error) {
	s, err := json.Marshal(b.Settings)
	if err != nil {
		return "", "", fmt.Errorf("store: settings: %w", err)
	}
	f, err := json.Marshal(b.Features)
	if err != nil {
		return "", "", fmt.Errorf("store: features: %w", err)
	}
	return string(s), string(f), nil
}

func scanBoard(scan func(...any) error) (store.Board, error) {
	var b store.Board
	var access, settings, features string
	var created int64
	if err := scan(&b.ID, &b.Title, &b.Question, &access, &b.Closed, &b.Public, &settings, &features, &b.OwnerHash, &b.Password, &created); err != nil {
		return b, err
	}
	b.Access, b.Created = store.Access(access), instant(created)
	if err := json.Unmarshal([]byte(settings), &b.Settings); err != nil {
		return b, fmt.Errorf("settings of board %s: %w", b.ID, err)
	}
	if err := json.Unmarshal([]byte(features), &b.Features); err != nil {
		return b, fmt.Errorf("features of board %s: %w", b.ID, err)
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
func (db *DB) UpdateBoard(ctx context.Context, b store.Board, a store.Action) error {
	settings, _, err := encoded(b)
	if err != nil {
		return err
	}
	return db.change(ctx, fmt.Sprintf("board %q", b.ID), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `UPDATE boards SET title = $2, question = $3, access = $4, closed = $5, public = $6, settings = $7, owner_hash = $8, password = $9 WHERE id = $1`,
			b.ID, b.Title, b.Question, string(b.Access), b.Closed, b.Public, settings, b.OwnerHash, b.Password)); err != nil {
			return err
		}
		a.Board = b.ID
		return record(ctx, tx, a)
	})
}
