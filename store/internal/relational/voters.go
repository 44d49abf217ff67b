package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate/store"
)

const voterColumns = `board, id, name, grp, subject, excluded, renewed, created`

// AddVoter implements store.Store.
func (db *DB) AddVoter(ctx context.Context, v store.Voter) (store.Voter, error) {
	fresh := false
	err := db.change(ctx, fmt.Sprintf("voter %q", v.ID), func(tx *sql.Tx) error {
		if v.Subject != "" { // a voter whose subject is known is no conflict
			var known int
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM voters WHERE board = $1 AND subject = $2`, v.Board, v.Subject).Scan(&known); err != nil {
				return err
			}
			if known > 0 {
				return nil
			}
		}
		fresh = true
		_, err := tx.ExecContext(ctx, `INSERT INTO voters (`+voterColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			v.Board, v.ID, v.Name, v.Group, sql.NullString{String: v.Subject, Valid: v.Subject != ""}, v.Excluded, v.Renewed, micros(v.Created))
		return err
	})
	if err != nil || fresh {
		return v, err
	}
	return db.VoterBySubject(ctx, v.Board, v.Subject)
}

// AddVoters implements store.Store.
func (db *DB) AddVoters(ctx context.Context, voters []store.Voter) (all []store.Voter, err error) {
	if len(voters) == 0 {
		return nil, nil
	}
	var args, subjects []any
	for _, v := range voters {
		args = append(args, v.Board, v.ID, v.Name, v.Group, v.Subject, v.Excluded, v.Renewed, micros(v.Created))
		subjects = append(subjects, v.Board, v.Subject)
	}
	err = db.change(ctx, "voters", func(tx *sql.Tx) error {
		all = nil
		err := db.inChunks(ctx, tx, args, 8, func(tuples string) string {
			return `INSERT INTO voters (` + voterColumns + `) VALUES ` + tuples + ` ON CONFLICT (board, subject) DO NOTHING`
		}, nil)
		if err != nil {
			return err
		}
		return db.inChunks(ctx, tx, subjects, 2, func(tuples string) string {
			return `SELECT v.board, v.id, v.name, v.grp, v.subject, v.excluded, v.renewed, v.created
FROM (VALUES ` + tuples + `) AS w JOIN voters v ON v.board = w.column1 AND v.subject = w.column2`
		}, func(scan func(...any) error) error {
			v, err := scanVoter(scan)
			all = append(all, v)
			return err
		})
	})
	return all, err
}

func scanVoter(scan func(...any) error) (store.Voter, error) {
	var v store.Voter
	var subject sql.NullString
	var created int64
	err := scan(&v.Board, &v.ID, &v.Name, &v.Group, &subject, &v.Excluded, &v.Renewed, &created)
	v.Subject, v.Created = subject.String, instant(created)
	return v, err
}

// Voter implements store.Store.
func (db *DB) Voter(ctx context.Context, board, id string) (store.Voter, error) {
	return one(ctx, db, fmt.Sprintf("voter %q of board %q", id, board), scanVoter, `SELECT `+voterColumns+` FROM voters WHERE board = $1 AND id = $2`, board, id)
}

// VoterBySubject implements store.Store.
func (db *DB) VoterBySubject(ctx context.Context, board, subject string) (store.Voter, error) {
	return one(ctx, db, fmt.Sprintf("voter of board %q", board), scanVoter, `SELECT `+voterColumns+` FROM voters WHERE board = $1 AND subject = $2`, board, subject)
}

// Voters implements store.Store.
func (db *DB) Voters(ctx context.Context, board string) ([]store.Voter, error) {
	return list(ctx, db, fmt.Sprintf("voters of board %q", board), scanVoter, `SELECT `+voterColumns+` FROM voters WHERE board = $1 ORDER BY created, id`, board)
}

// ExcludeVoter implements store.Store.
func (db *DB) ExcludeVoter(ctx context.Context, board, id, reason string, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("voter %q of board %q", id, board), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `UPDATE voters SET excluded = $3 WHERE board = $1 AND id = $2`, board, id, reason)); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
}

// RenewVoter implements store.Store.
func (db *DB) RenewVoter(ctx context.Context, board, id, subject string, a store.Action) (v store.Voter, err error) {
	err = db.change(ctx, fmt.Sprintf("voter %q of board %q", id, board), func(tx *sql.Tx) error {
		if err := must(tx.ExecContext(ctx, `UPDATE voters SET subject = $3, renewed = renewed + 1 WHERE board = $1 AND id = $2`,
			board, id, sql.NullString{String: subject, Valid: subject != ""})); err != nil {
			return err
		}
		if v, err = scanVoter(tx.QueryRowContext(ctx, `SELECT `+voterColumns+` FROM voters WHERE board = $1 AND id = $2`, board, id).Scan); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
	return v, err
}

// EraseVoter implements store.Store.
func (db *DB) EraseVoter(ctx context.Context, board, id string, a store.Action) error {
	return db.change(ctx, fmt.Sprintf("voter %q of board %q", id, board), func(tx *sql.Tx) error {
		var known int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM voters WHERE board = $1 AND id = $2`, board, id).Scan(&known); err != nil {
			return err
		}
		if known == 0 {
			return sql.ErrNoRows
		}
		// An item whose text is theirs keeps its place, and a name that says nothing.
		if _, err := tx.ExecContext(ctx, `UPDATE items SET id = 'deleted ' || number, kind = 'text', body = '', url = '', media = '', excluded = $3 WHERE board = $1
AND number IN (SELECT item FROM proposals WHERE board = $1 AND voter = $2 AND item >= 0)`, board, id, a.Reason); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM comments WHERE board = $1 AND seq IN (SELECT seq FROM votes WHERE board = $1 AND voter = $2)`, `DELETE FROM proposals WHERE board = $1 AND voter = $2`,
			`DELETE FROM ballots WHERE board = $1 AND voter = $2`, `DELETE FROM votes WHERE board = $1 AND voter = $2`,
		} {
			if _, err := tx.ExecContext(ctx, statement, board, id); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM snapshots WHERE board = $1`, board); err != nil {
			return err
		}
		a.Board, a.Verb, a.Object = board, store.Erased, id
		return record(ctx, tx, a)
	})
}
