package relational

import (
	"context"
	"database/sql"
	"errors"

	"palate/store"
)

const ballotColumns = `board, voter, seq, key, lft, rgt, policy, propensity, asked, several`

// ballotValues is how many columns these are.
const ballotValues = 10

func scanBallot(scan func(...any) error, more ...any) (b store.Ballot, err error) {
	var asked int64
	q := &b.Open
	err = scan(append(more, &b.Seq, &q.Key, &q.Left, &q.Right, &q.Policy, &q.Propensity, &asked, &q.Set)...)
	q.Time = instant(asked)
	return b, err
}

// Ballot implements store.Store.
func (db *DB) Ballot(ctx context.Context, board, voter string) (store.Ballot, error) {
	b, err := one(ctx, db, "ballot", func(scan func(...any) error) (store.Ballot, error) { return scanBallot(scan) },
		`SELECT seq, key, lft, rgt, policy, propensity, asked, several FROM ballots WHERE board = $1 AND voter = $2`, board, voter)
	if errors.Is(err, store.ErrNotFound) {
		return store.Ballot{}, nil
	}
	return b, err
}

// Pose implements store.Store.
func (db *DB) Pose(ctx context.Context, board, voter string, read store.Ballot, q store.Question) error {
	return db.submit(ctx, write{entry: store.Entry{Vote: store.Vote{Board: board, Voter: voter}}, posed: &q, read: read}).err
}

// readBallots reads the ballots that writes are about.
func (db *DB) readBallots(ctx context.Context, tx *sql.Tx, group []write) (map[owner]store.Ballot, error) {
	all := make(map[owner]store.Ballot, len(group))
	var args []any
	for _, w := range group {
		if _, there := all[w.owner()]; !there {
			all[w.owner()] = store.Ballot{}
			args = append(args, w.entry.Board, w.entry.Voter)
		}
	}
	return all, db.inChunks(ctx, tx, args, 2, func(tuples string) string {
		return `SELECT b.board, b.voter, b.seq, b.key, b.lft, b.rgt, b.policy, b.propensity, b.asked, b.several
FROM (VALUES ` + tuples + `) AS w JOIN ballots b ON b.board = w.column1 AND b.voter = w.column2`
	}, func(scan func(...any) error) error {
		var who owner
		b, err := scanBallot(scan, &who.board, &who.voter)
		all[who] = b
		return err
	})
}

// writeBallots stores those that have changed.
func (db *DB) writeBallots(ctx context.Context, tx *sql.Tx, all map[owner]store.Ballot, changed map[owner]bool) error {
	args := make([]any, 0, ballotValues*len(changed))
	for who := range changed {
		b := all[who]
		q := b.Open
		args = append(args, who.board, who.voter, b.Seq, q.Key, q.Left, q.Right, q.Policy, q.Propensity, micros(q.Time), string(q.Set))
	}
	return db.inChunks(ctx, tx, args, ballotValues, func(tuples string) string {
		return `INSERT INTO ballots (` + ballotColumns + `) VALUES ` + tuples + `
ON CONFLICT (board, voter) DO UPDATE SET seq = excluded.seq, key = excluded.key, lft = excluded.lft, rgt = excluded.rgt, policy = excluded.policy, propensity = excluded.propensity, asked = excluded.asked, several = excluded.several`
	}, nil)
}
