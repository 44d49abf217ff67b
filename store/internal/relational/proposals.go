package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate/store"
)

const proposalColumns = `board, id, voter, body, state, item, reason, created`

func scanProposal(scan func(...any) error) (p store.Proposal, err error) {
	var state string
	var created int64
	err = scan(&p.Board, &p.ID, &p.Voter, &p.Body, &state, &p.Item, &p.Reason, &created)
	p.State, p.Created = store.ProposalState(state), instant(created)
	return p, err
}

// AddProposal implements store.Store.
func (db *DB) AddProposal(ctx context.Context, p store.Proposal, ofVoter, waiting int) error {
	return db.change(ctx, "proposal", func(tx *sql.Tx) error {
		var theirs, all int
		if err := tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM proposals WHERE board = $1 AND voter = $2), (SELECT count(*) FROM proposals WHERE board = $1 AND state = $3)`,
			p.Board, p.Voter, string(store.Pending)).Scan(&theirs, &all); err != nil {
			return err
		}
		if theirs >= ofVoter || all >= waiting {
			return fmt.Errorf("%w: %d proposals of the voter, %d that wait", store.ErrQuota, theirs, all)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO proposals (`+proposalColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			p.Board, p.ID, p.Voter, p.Body, string(store.Pending), -1, "", micros(p.Created))
		return err
	})
}

// Proposals implements store.Store.
func (db *DB) Proposals(ctx context.Context, board, voter string) ([]store.Proposal, error) {
	what := fmt.Sprintf("proposals on board %q", board)
	if voter == "" {
		return list(ctx, db, what, scanProposal, `SELECT `+proposalColumns+` FROM proposals WHERE board = $1 ORDER BY created, id`, board)
	}
	return list(ctx, db, what, scanProposal, `SELECT `+proposalColumns+` FROM proposals WHERE board = $1 AND voter = $2 ORDER BY created, id`, board, voter)
}

// Decide implements store.Store.
func (db *DB) Decide(ctx context.Context, board, proposal string, item *store.Item, a store.Action) (p store.Proposal, err error) {
	err = db.change(ctx, fmt.Sprintf("proposal %q of board %q", proposal, board), func(tx *sql.Tx) error {
		if p, err = scanProposal(tx.QueryRowContext(ctx, `SELECT `+proposalColumns+` FROM proposals WHERE board = $1 AND id = $2`, board, proposal).Scan); err != nil {
			return err
		}
		if p.State != store.Pending {
			return fmt.Errorf("%w: the proposal was %s", store.ErrStale, p.State)
		}
		p.State, p.Reason = store.Refused, a.Reason
		if item != nil {
			p.State, p.Reason = store.Accepted, ""
			if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM items WHERE board = $1`, board).Scan(&p.Item); err != nil {
				return err
			}
			if err := addItems(ctx, tx, board, p.Item, []store.Item{*item}); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE proposals SET state = $3, item = $4, reason = $5 WHERE board = $1 AND id = $2`, board, proposal, string(p.State), p.Item, p.Reason); err != nil {
			return err
		}
		a.Board = board
		return record(ctx, tx, a)
	})
	return p, err
}
