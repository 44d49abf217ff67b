package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate/store"
)

const voterColumns = `board, id, name, grp, subject, excluded, created`

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
		_, err := tx.ExecContext(ctx, `INSERT INTO voters (`+voterColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			v.Board, v.ID, v.Name, v.Group, sql.NullString{String: v.Subject, Valid: v.Subject != ""}, v.Excluded, micros(v.Created))
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
		args = append(args, v.Board, v.ID, v.Name, v.Group, v.Subject, v.Excluded, micros(v.Created))
		subjects = append(subjects, v.Board, v.Subject)
	}
	err = db.change(ctx, "voters", func(tx *sql.Tx) error {
		all = nil
		err := db.inChunks(ctx, tx, args, 7, func(tuples string) string {
			return `INSERT INTO voters (` + voterColumns + `) VALUES ` + tuples + ` ON CONFLICT (board, subject) DO NOTHING`
		}, nil)
		if err != nil {
			return err
		}
		return db.inChunks(ctx, tx, subjects, 2, func(tuples string) string {
			return `SELECT v.board, v.id, v.name, v.grp, v.subject, v.excluded, v.created
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
	err := scan(&v.Board, &v.ID, &v.Name, &v.Group, &subject, &v.Excluded, &created)
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
