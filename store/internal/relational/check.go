package relational

import (
	"context"
	"crypto/rand"
	"database/sql"
)

// probed is how many bytes a check writes: more than a vote takes.
const probed = 32 << 10

// Check implements store.Store: it does what storing a vote does. It inserts a copy
// of the last vote, changes its ballot, and writes bytes that need room of their own, and
// takes all of it back; then it writes as much to disk for good, in the place of what the
// last check wrote. What it has written makes connections that read look at the disk
// again: it reads what the board of a vote begins with, as a writer may go on for a while
// by what it has in memory.
func (db *DB) Check(ctx context.Context) error {
	bytes := make([]byte, probed)
	rand.Read(bytes) // never fails
	err := db.change(ctx, "check", func(tx *sql.Tx) error {
		for _, step := range []struct {
			query string
			args  []any
		}{
			{`SAVEPOINT probe`, nil},
			{`INSERT INTO votes (` + voteColumns + `) SELECT board, voter, 'probe', lft, rgt, outcome, reason, undoes, policy, propensity, response, time, several FROM votes ORDER BY seq DESC LIMIT 1`, nil},
			{`UPDATE ballots SET seq = seq + 1 WHERE (board, voter) = (SELECT board, voter FROM votes ORDER BY seq DESC LIMIT 1)`, nil},
			{`INSERT INTO secrets (name, value) VALUES ('probe: taken back', $1)`, []any{bytes}},
			{`ROLLBACK TO SAVEPOINT probe`, nil},
			{`INSERT INTO secrets (name, value) VALUES ('probe', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`, []any{bytes}},
		} {
			if _, err := tx.ExecContext(ctx, step.query, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
	for _, query := range []string{
		`SELECT ` + boardColumns + ` FROM boards WHERE id = (SELECT board FROM votes ORDER BY seq DESC LIMIT 1)`,
		`SELECT ` + boardColumns + ` FROM boards LIMIT 1`,
	} {
		if err == nil {
			_, err = list(ctx, db, "check", scanBoard, query)
		}
	}
	return err
}
