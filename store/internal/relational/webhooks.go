package relational

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"palate/store"
)

const webhookColumns = `id, board, url, secret, events, vote, action, settled, worker, until, tries, next, says, created`

func scanWebhook(scan func(...any) error) (w store.Webhook, err error) {
	var events string
	var until, next, created int64
	err = scan(&w.ID, &w.Board, &w.URL, &w.Secret, &events, &w.Vote, &w.Action, &w.Settled, &w.Worker, &until, &w.Tries, &next, &w.Says, &created)
	w.Events, w.Until, w.Next, w.Created = strings.Fields(events), instant(until), instant(next), instant(created)
	return w, err
}

// AddWebhook implements store.Store.
func (db *DB) AddWebhook(ctx context.Context, w store.Webhook, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("webhook of board %q", w.Board), func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO webhooks (`+webhookColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			w.ID, w.Board, w.URL, w.Secret, strings.Join(w.Events, " "), w.Vote, w.Action, w.Settled, "", 0, 0, 0, "", micros(w.Created)); err != nil {
			return err
		}
		a.Board = w.Board
		return record(ctx, tx, a)
	})
}

// Webhooks implements store.Store.
func (db *DB) Webhooks(ctx context.Context, board string) ([]store.Webhook, error) {
	if board == "" {
		return list(ctx, db, "webhooks", scanWebhook, `SELECT `+webhookColumns+` FROM webhooks ORDER BY created, id`)
	}
	return list(ctx, db, fmt.Sprintf("webhooks of board %q", board), scanWebhook, `SELECT `+webhookColumns+` FROM webhooks WHERE board = $1 ORDER BY created, id`, board)
}

// ClaimWebhook implements store.Store.
func (db *DB) ClaimWebhook(ctx context.Context, id, worker string, now, until time.Time) (w store.Webhook, err error) {
	err = db.change(ctx, "webhook", func(tx *sql.Tx) error {
		if err := overtaken(tx.ExecContext(ctx, `UPDATE webhooks SET worker = $2, until = $3 WHERE id = $1 AND (until < $4 OR worker = $2)`, id, worker, micros(until), micros(now))); err != nil {
			return err
		}
		w, err = scanWebhook(tx.QueryRowContext(ctx, `SELECT `+webhookColumns+` FROM webhooks WHERE id = $1`, id).Scan)
		return err
	})
	return w, err
}

// NoteWebhook implements store.Store.
func (db *DB) NoteWebhook(ctx context.Context, w store.Webhook) error {
	return db.change(ctx, "webhook", func(tx *sql.Tx) error {
		return overtaken(tx.ExecContext(ctx, `UPDATE webhooks SET vote = $3, action = $4, settled = $5, until = $6, tries = $7, next = $8, says = $9 WHERE id = $1 AND worker = $2`,
			w.ID, w.Worker, w.Vote, w.Action, w.Settled, micros(w.Until), w.Tries, micros(w.Next), w.Says))
	})
}

// DropWebhook implements store.Store.
func (db *DB) DropWebhook(ctx context.Context, board, id string, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("webhook %q of board %q", id, board), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `DELETE FROM webhooks WHERE board = $1 AND id = $2`, board, id)); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}
