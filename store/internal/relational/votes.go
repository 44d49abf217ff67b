package relational

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"palate"
	"palate/store"
)

const voteColumns = `board, voter, key, lft, rgt, outcome, reason, undoes, policy, propensity, response, time`

// maxGroup is the most votes that share one write.
const maxGroup = 256

// appending is a vote on its way to the disk.
type appending struct {
	vote store.Vote
	done chan<- appended
}

type appended struct {
	vote  store.Vote
	fresh bool
	err   error
}

var errClosed = errors.New("store: closed")

// Append implements store.Store.
func (db *DB) Append(ctx context.Context, v store.Vote) (store.Vote, bool, error) {
	done := make(chan appended, 1)
	select {
	case db.votes <- appending{v, done}:
	case <-ctx.Done():
		return v, false, ctx.Err()
	case <-db.stop:
		return v, false, errClosed
	}
	select {
	case a := <-done:
		return a.vote, a.fresh, a.err
	case <-ctx.Done(): // it may yet be stored; telling again is safe
		return v, false, ctx.Err()
	case <-db.ended:
	}
	select { // it may have been of the last group
	case a := <-done:
		return a.vote, a.fresh, a.err
	default:
		return v, false, errClosed
	}
}

// appendVotes writes votes in groups: all that have come in while the last
// group was written.
func (db *DB) appendVotes() {
	defer close(db.ended)
	for {
		select {
		case first := <-db.votes:
			db.appendGroup(db.waiting(first))
		case <-db.stop:
			for {
				select {
				case first := <-db.votes:
					db.appendGroup(db.waiting(first))
				default:
					return
				}
			}
		}
	}
}

func (db *DB) waiting(first appending) []appending {
	group := []appending{first}
	for len(group) < maxGroup {
		select {
		case next := <-db.votes:
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// patience is how long a group may take before its voters are told that the
// database is away.
const patience = 10 * time.Second

func (db *DB) appendGroup(group []appending) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	votes := make([]store.Vote, len(group))
	for k, a := range group {
		votes[k] = a.vote
	}
	stored, fresh, err := db.appendTogether(ctx, votes)
	if errors.Is(err, store.ErrUnavailable) { // a connection may have broken; keys make it safe to try again
		stored, fresh, err = db.appendTogether(ctx, votes)
	}
	for k, a := range group {
		if err != nil {
			a.done <- appended{vote: a.vote, err: err}
			continue
		}
		a.done <- appended{stored[k], fresh[k], nil}
	}
}

// AppendAll implements store.Store.
func (db *DB) AppendAll(ctx context.Context, votes []store.Vote) (n int, err error) {
	err = db.change(ctx, "votes", func(tx *sql.Tx) error {
		for some := range slices.Chunk(votes, maxGroup) {
			_, fresh, err := insertVotes(ctx, tx, some)
			if err != nil {
				return err
			}
			for _, f := range fresh {
				if f {
					n++
				}
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return n, nil
}

// appendTogether stores votes in one transaction.
func (db *DB) appendTogether(ctx context.Context, votes []store.Vote) (stored []store.Vote, fresh []bool, err error) {
	err = db.change(ctx, "votes", func(tx *sql.Tx) error {
		stored, fresh, err = insertVotes(ctx, tx, votes)
		return err
	})
	return stored, fresh, err
}

// identity is what a vote is stored once by.
type identity struct{ board, voter, key string }

func identityOf(v store.Vote) identity { return identity{v.Board, v.Voter, v.Key} }

// insertVotes stores votes by one statement, and looks up those that were told
// before.
func insertVotes(ctx context.Context, tx *sql.Tx, votes []store.Vote) (stored []store.Vote, fresh []bool, err error) {
	const columns = 12
	query := []byte(`INSERT INTO votes (` + voteColumns + `) VALUES `)
	args := make([]any, 0, columns*len(votes))
	for k, v := range votes {
		for c := range columns {
			switch {
			case c > 0:
				query = append(query, ", "...)
			case k > 0:
				query = append(query, "), ("...)
			default:
				query = append(query, '(')
			}
			query = fmt.Appendf(query, "$%d", columns*k+c+1)
		}
		args = append(args, v.Board, v.Voter, v.Key, v.Left, v.Right, int(v.Outcome), v.Reason, v.Undoes, v.Policy, v.Propensity, v.Response.Microseconds(), micros(v.Time))
	}
	rows, err := tx.QueryContext(ctx, string(query)+`) ON CONFLICT DO NOTHING RETURNING seq, board, voter, key`, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	seqs := make(map[identity]int64, len(votes))
	for rows.Next() {
		var seq int64
		var id identity
		if err := rows.Scan(&seq, &id.board, &id.voter, &id.key); err != nil {
			return nil, nil, err
		}
		seqs[id] = seq
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	stored, fresh = make([]store.Vote, len(votes)), make([]bool, len(votes))
	for k, v := range votes {
		if v.Seq, fresh[k] = seqs[identityOf(v)]; fresh[k] {
			delete(seqs, identityOf(v)) // the second of two alike is not fresh
			stored[k] = v
			continue
		}
		stored[k], err = scanVote(tx.QueryRowContext(ctx, `SELECT seq, `+voteColumns+` FROM votes WHERE board = $1 AND voter = $2 AND key = $3`, v.Board, v.Voter, v.Key).Scan)
		if err != nil {
			return nil, nil, err
		}
	}
	return stored, fresh, nil
}

func scanVote(scan func(...any) error) (store.Vote, error) {
	var v store.Vote
	var outcome int
	var response, at int64
	err := scan(&v.Seq, &v.Board, &v.Voter, &v.Key, &v.Left, &v.Right, &outcome, &v.Reason, &v.Undoes, &v.Policy, &v.Propensity, &response, &at)
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
