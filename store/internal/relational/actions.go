package relational

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"palate/store"
)

// record appends to the log of actions.
func record(ctx context.Context, tx *sql.Tx, a store.Action) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO actions (board, actor, verb, object, reason, time) VALUES ($1, $2, $3, $4, $5, $6)`,
		a.Board, a.Actor, a.Verb, a.Object, a.Reason, micros(a.Time))
	return err
}

func scanAction(scan func(...any) error) (store.Action, error) {
	var a store.Action
	var at int64
	err := scan(&a.Seq, &a.Board, &a.Actor, &a.Verb, &a.Object, &a.Reason, &at)
	a.Time = instant(at)
	return a, err
}

// Actions implements store.Store.
func (db *DB) Actions(ctx context.Context, board string, after int64, limit int) ([]store.Action, error) {
	const columns = `seq, board, actor, verb, object, reason, time`
	if board == "" {
		return list(ctx, db, "actions", scanAction, `SELECT `+columns+` FROM actions WHERE seq > $1 ORDER BY seq LIMIT $2`, after, limit)
	}
	return list(ctx, db, fmt.Sprintf("actions on board %q", board), scanAction, `SELECT `+columns+` FROM actions WHERE board = $1 AND seq > $2 ORDER BY seq LIMIT $3`, board, after, limit)
}

// Ends implements store.Store.
func (db *DB) Ends(ctx context.Context) (vote, action int64, err error) {
	err = db.read.QueryRowContext(ctx, `SELECT (SELECT coalesce(max(seq), 0) FROM votes), (SELECT coalesce(max(seq), 0) FROM actions)`).Scan(&vote, &action)
	return vote, action, db.fail("ends of the logs", err)
}

// AddToken implements store.Store.
func (db *DB) AddToken(ctx context.Context, t store.Token, a store.Action) error {
	scopes, err := json.Marshal(t.Scopes)
	if err != nil {
		return fmt.Errorf("store: scopes of token %q: %w", t.Name, err)
	}
	return db.change(ctx, fmt.Sprintf("token %q", t.Name), func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO tokens (board, name, hash, scopes, revoked, created) VALUES ($1, $2, $3, $4, $5, $6)`,
			t.Board, t.Name, t.Hash, string(scopes), t.Revoked, micros(t.Created)); err != nil {
			return err
		}
		a.Board = t.Board
		return record(ctx, tx, a)
	})
}

const tokenColumns = `board, name, hash, scopes, revoked, created`

func scanToken(scan func(...any) error) (store.Token, error) {
	var t store.Token
	var scopes string
	var created int64
	if err := scan(&t.Board, &t.Name, &t.Hash, &scopes, &t.Revoked, &created); err != nil {
		return t, err
	}
	t.Created = instant(created)
	return t, json.Unmarshal([]byte(scopes), &t.Scopes)
}

// Token implements store.Store.
func (db *DB) Token(ctx context.Context, hash []byte) (store.Token, error) {
	return one(ctx, db, "token", scanToken, `SELECT `+tokenColumns+` FROM tokens WHERE hash = $1`, hash)
}

// Tokens implements store.Store.
func (db *DB) Tokens(ctx context.Context, board string) ([]store.Token, error) {
	return list(ctx, db, fmt.Sprintf("tokens of board %q", board), scanToken, `SELECT `+tokenColumns+` FROM tokens WHERE board = $1 ORDER BY created, name`, board)
}

// RevokeToken implements store.Store.
func (db *DB) RevokeToken(ctx context.Context, board, name string, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("token %q of board %q", name, board), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `UPDATE tokens SET revoked = $3 WHERE board = $1 AND name = $2`, board, name, true)); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}
