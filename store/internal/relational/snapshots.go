package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate/store"
)

// PutSnapshot implements store.Store.
func (db *DB) PutSnapshot(ctx context.Context, s store.Snapshot) error {
	return db.change(ctx, fmt.Sprintf("snapshot of board %q", s.Board), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO snapshots (board, kind, seq, action, bytes, time)
SELECT b.id, CAST($2 AS TEXT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), $5, CAST($6 AS BIGINT) FROM boards b WHERE b.id = $1
AND NOT EXISTS (SELECT 1 FROM actions WHERE board = $1 AND verb = $7 AND seq > $4)
ON CONFLICT (board, kind) DO UPDATE SET seq = excluded.seq, action = excluded.action, bytes = excluded.bytes, time = excluded.time
WHERE snapshots.seq <= excluded.seq`, s.Board, s.Kind, s.Seq, s.Action, s.Bytes, micros(s.Time), store.Erased)
		return err
	})
}

// Snapshot implements store.Store.
func (db *DB) Snapshot(ctx context.Context, board, kind string) (store.Snapshot, error) {
	return one(ctx, db, fmt.Sprintf("snapshot of board %q", board), func(scan func(...any) error) (s store.Snapshot, err error) {
		var at int64
		err = scan(&s.Board, &s.Kind, &s.Seq, &s.Action, &s.Bytes, &at)
		s.Time = instant(at)
		return s, err
	}, `SELECT board, kind, seq, action, bytes, time FROM snapshots WHERE board = $1 AND kind = $2`, board, kind)
}

// Secret implements store.Store.
func (db *DB) Secret(ctx context.Context, name string, fresh []byte) (value []byte, err error) {
	err = db.change(ctx, fmt.Sprintf("secret %q", name), func(tx *sql.Tx) error {
		if fresh != nil {
			if _, err := tx.ExecContext(ctx, `INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, fresh); err != nil {
				return err
			}
		}
		return tx.QueryRowContext(ctx, `SELECT value FROM secrets WHERE name = $1`, name).Scan(&value)
	})
	return value, err
}

// DropSecret implements store.Store.
func (db *DB) DropSecret(ctx context.Context, name string) error {
	return db.change(ctx, fmt.Sprintf("secret %q", name), func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM secrets WHERE name = $1`, name)
		return err
	})
}
