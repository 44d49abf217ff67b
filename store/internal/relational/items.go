package relational

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"palate/store"
)

const itemColumns = `board, number, id, kind, body, url, media, features, excluded, created`

func addItems(ctx context.Context, tx *sql.Tx, board string, first int, items []store.Item) error {
	for k, i := range items {
		features, err := json.Marshal(i.Features)
		if err != nil {
			return fmt.Errorf("features of item %q: %w", i.ID, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO items (`+itemColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			board, first+k, i.ID, string(i.Kind), i.Body, i.URL, i.Media, string(features), i.Excluded, micros(i.Created)); err != nil {
			return err
		}
	}
	return nil
}

// AddItems implements store.Store.
func (db *DB) AddItems(ctx context.Context, board string, items []store.Item, a store.Action) ([]store.Item, error) {
	added := make([]store.Item, len(items))
	err := db.change(ctx, fmt.Sprintf("items of board %q", board), func(tx *sql.Tx) error {
		var boards, first int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM boards WHERE id = $1`, board).Scan(&boards); err != nil {
			return err
		}
		if boards == 0 {
			return sql.ErrNoRows
		}
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM items WHERE board = $1`, board).Scan(&first); err != nil {
			return err
		}
		for k, i := range items {
			i.Board, i.Number = board, first+k
			added[k] = i
		}
		if err := addItems(ctx, tx, board, first, items); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
	if err != nil {
		return nil, err
	}
	return added, nil
}

func scanItem(scan func(...any) error) (store.Item, error) {
	var i store.Item
	var kind, features string
	var created int64
	if err := scan(&i.Board, &i.Number, &i.ID, &kind, &i.Body, &i.URL, &i.Media, &features, &i.Excluded, &created); err != nil {
		return i, err
	}
	i.Kind, i.Created = store.ItemKind(kind), instant(created)
	if err := json.Unmarshal([]byte(features), &i.Features); err != nil {
		return i, fmt.Errorf("features of item %q: %w", i.ID, err)
	}
	return i, nil
}

// Items implements store.Store.
func (db *DB) Items(ctx context.Context, board string) ([]store.Item, error) {
	return list(ctx, db, fmt.Sprintf("items of board %q", board), scanItem, `SELECT `+itemColumns+` FROM items WHERE board = $1 ORDER BY number`, board)
}

// ExcludeItem implements store.Store.
func (db *DB) ExcludeItem(ctx context.Context, board string, number int, reason string, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("item %d of board %q", number, board), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `UPDATE items SET excluded = $3 WHERE board = $1 AND number = $2`, board, number, reason)); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}

// PutMedia implements store.Store.
func (db *DB) PutMedia(ctx context.Context, m store.Media) error {
	return db.change(ctx, "picture "+m.Digest, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO media (board, digest, type, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, m.Board, m.Digest, m.Type, m.Bytes)
		return err
	})
}

// Media implements store.Store.
func (db *DB) Media(ctx context.Context, board, digest string) (store.Media, error) {
	return one(ctx, db, fmt.Sprintf("picture %q of board %q", digest, board), func(scan func(...any) error) (m store.Media, err error) {
		err = scan(&m.Board, &m.Digest, &m.Type, &m.Bytes)
		return m, err
	}, `SELECT board, digest, type, bytes FROM media WHERE board = $1 AND digest = $2`, board, digest)
}
