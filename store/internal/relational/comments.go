package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate"
	"palate/store"
)

// writeComments stores the comments on the votes of a group that are fresh.
func writeComments(ctx context.Context, tx *sql.Tx, group []write, results []written) error {
	for k, w := range group {
		if r := results[k]; w.entry.Comment != "" && r.fresh && r.err == nil {
			if _, err := tx.ExecContext(ctx, `INSERT INTO comments (seq, board, voter, text) VALUES ($1, $2, $3, $4)`, r.vote.Seq, w.entry.Board, w.entry.Voter, w.entry.Comment); err != nil {
				return err
			}
		}
	}
	return nil
}

// Comments implements store.Store.
func (db *DB) Comments(ctx context.Context, board string, after int64, limit int) ([]store.Comment, error) {
	return list(ctx, db, fmt.Sprintf("comments on board %q", board), func(scan func(...any) error) (c store.Comment, err error) {
		var outcome int
		var at int64
		err = scan(&c.Seq, &c.Voter, &c.Left, &c.Right, &outcome, &c.Text, &at, &c.Set)
		c.Outcome, c.Time = palate.Outcome(outcome), instant(at)
		return c, err
	}, `SELECT c.seq, c.voter, v.lft, v.rgt, v.outcome, c.text, v.time, v.several FROM comments c JOIN votes v ON v.seq = c.seq WHERE c.board = $1 AND c.seq > $2 ORDER BY c.seq LIMIT $3`, board, after, limit)
}
