package relational

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"palate"
	"palate/store"
)

const voteColumns = `board, voter, key, lft, rgt, outcome, reason, undoes, policy, propensity, response, time, several`

// Append implements store.Store.
func (db *DB) Append(ctx context.Context, e store.Entry) (store.Vote, bool, error) {
	r := db.submit(ctx, write{entry: e})
	return r.vote, r.fresh, r.err
}

// readVotes reads which votes of a group were stored before.
func (db *DB) readVotes(ctx context.Context, tx *sql.Tx, group []write) (map[identity]store.Vote, error) {
	known := map[identity]store.Vote{}
	var args []any
	for _, w := range group {
		if w.posed == nil {
			args = append(args, w.entry.Board, w.entry.Voter, w.entry.Key)
		}
	}
	return known, db.inChunks(ctx, tx, args, 3, func(tuples string) string {
		return `SELECT v.seq, v.board, v.voter, v.key, v.lft, v.rgt, v.outcome, v.reason, v.undoes, v.policy, v.propensity, v.response, v.time, v.several
FROM (VALUES ` + tuples + `) AS w JOIN votes v ON v.board = w.column1 AND v.voter = w.column2 AND v.key = w.column3`
	}, func(scan func(...any) error) error {
		v, err := scanVote(scan)
		known[identity{owner{v.Board, v.Voter}, v.Key}] = v
		return err
	})
}

// insertVotes stores votes that are not there yet, and returns their numbers.
func (db *DB) insertVotes(ctx context.Context, tx *sql.Tx, votes []store.Vote) (map[identity]int64, error) {
	seqs := make(map[identity]int64, len(votes))
	const columns = 13
	args := make([]any, 0, columns*len(votes))
	for _, v := range votes {
		args = append(args, v.Board, v.Voter, v.Key, v.Left, v.Right, int(v.Outcome), v.Reason, v.Undoes, v.Policy, v.Propensity, v.Response.Microseconds(), micros(v.Time), string(v.Set))
	}
	return seqs, db.inChunks(ctx, tx, args, columns, func(tuples string) string {
		return `INSERT INTO votes (` + voteColumns + `) VALUES ` + tuples + ` RETURNING seq, board, voter, key`
	}, func(scan func(...any) error) error {
		var seq int64
		var id identity
		err := scan(&seq, &id.board, &id.voter, &id.key)
		seqs[id] = seq
		return err
	})
}

func scanVote(scan func(...any) error) (store.Vote, error) {
	var v store.Vote
	var outcome int
	var response, at int64
	err := scan(&v.Seq, &v.Board, &v.Voter, &v.Key, &v.Left, &v.Right, &outcome, &v.Reason, &v.Undoes, &v.Policy, &v.Propensity, &response, &at, &v.Set)
	v.Outcome, v.Response, v.Time = palate.Outcome(outcome), time.Duration(response)*time.Microsecond, instant(at)
	return v, err
}

// Votes implements store.Store.
func (db *DB) Votes(ctx context.Context, board string, after int64, limit int) ([]store.Vote, error) {
	if board == "" {
		return list(ctx, db, "votes", scanVote, `SELECT seq, `+voteColumns+` FROM votes WHERE seq > $1 ORDER BY seq LIMIT $2`, after, limit)
	}
	return list(ctx, db, fmt.Sprintf("votes of board %q", board), scanVote, `SELECT seq, `+voteColumns+` FROM votes WHERE board = $1 AND seq > $2 ORDER BY seq LIMIT $3`, board, after, limit)
}
