package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate/store"
)

// AddOwner implements store.Store.
func (db *DB) AddOwner(ctx context.Context, o store.Owner, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("owner %q", o.Name), func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO owners (board, id, name, hash, created) VALUES ($1, $2, $3, $4, $5)`, o.Board, o.ID, o.Name, o.Hash, micros(o.Created)); err != nil {
			return err
		}
		a.Board = o.Board
		return record(ctx, tx, a)
	})
}

// Owners implements store.Store.
func (db *DB) Owners(ctx context.Context, board string) ([]store.Owner, error) {
	return list(ctx, db, fmt.Sprintf("owners of board %q", board), func(scan func(...any) error) (o store.Owner, err error) {
		var created int64
		err = scan(&o.Board, &o.ID, &o.Name, &o.Hash, &created)
		o.Created = instant(created)
		return o, err
	}, `SELECT board, id, name, hash, created FROM owners WHERE board = $1 ORDER BY created, id`, board)
}

// RemoveOwner implements store.Store.
func (db *DB) RemoveOwner(ctx context.Context, board, id string, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("owner %q of board %q", id, board), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `DELETE FROM owners WHERE board = $1 AND id = $2`, board, id)); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}
