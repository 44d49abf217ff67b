package relational

import (
	"context"
	"database/sql"
	"fmt"

	"palate"
	"palate/store"
)

// terms are what the votes of a group must keep to: whether their boards are open, and
// what stands of voters who may cast so many only.
type terms struct {
	boards map[string]store.Board
	stands map[owner]map[store.Topic]int64 // the vote that stands on each, skips apart
}

// readTerms reads them as they are within the transaction.
func (db *DB) readTerms(ctx context.Context, tx *sql.Tx, group []write) (terms, error) {
	t := terms{map[string]store.Board{}, map[owner]map[store.Topic]int64{}}
	var args []any
	for _, w := range group {
		if _, known := t.boards[w.entry.Board]; !known && w.posed == nil && !w.file {
			t.boards[w.entry.Board] = store.Board{} // a vote on a board that is not there fails by itself
			args = append(args, w.entry.Board)
		}
	}
	err := db.inChunks(ctx, tx, args, 1, func(tuples string) string {
		return `SELECT ` + boardColumns + ` FROM (VALUES ` + tuples + `) AS w JOIN boards ON id = w.column1`
	}, func(scan func(...any) error) error {
		b, err := scanBoard(scan)
		t.boards[b.ID] = b
		return err
	})
	if err != nil {
		return t, err
	}
	for _, w := range group {
		if w.posed != nil || w.file {
			continue
		}
		if who := w.owner(); t.boards[w.entry.Board].Rules.Quota > 0 && t.stands[who] == nil {
			stands, err := standing(ctx, tx, who)
			if err != nil {
				return t, err
			}
			t.stands[who] = stands
		}
	}
	return t, nil
}

// standing reads which votes of a voter stand: the last on a topic, if it was not taken
// back and is no skip.
func standing(ctx context.Context, tx *sql.Tx, who owner) (map[store.Topic]int64, error) {
	rows, err := tx.QueryContext(ctx, `SELECT seq, lft, rgt, outcome, undoes, several FROM votes WHERE board = $1 AND voter = $2 ORDER BY seq`, who.board, who.voter)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	stands := map[store.Topic]int64{}
	for rows.Next() {
		var v store.Vote
		var outcome int
		if err := rows.Scan(&v.Seq, &v.Left, &v.Right, &outcome, &v.Undoes, &v.Set); err != nil {
			return nil, err
		}
		v.Outcome = palate.Outcome(outcome)
		note(stands, v)
	}
	return stands, rows.Err()
}

// note takes a record in.
func note(stands map[store.Topic]int64, v store.Vote) {
	of := v.Topic()
	switch {
	case v.Undoes == 0 && v.Outcome != palate.Skip:
		stands[of] = v.Seq
	case v.Undoes == 0, stands[of] == v.Undoes:
		delete(stands, of)
	}
}

// allow says why a vote is not to be stored, and counts it otherwise.
func (t terms) allow(v store.Vote) error {
	b := t.boards[v.Board]
	if b.ClosedAt(v.Time) {
		return fmt.Errorf("%w: board %q", store.ErrClosed, v.Board)
	}
	stands := t.stands[owner{v.Board, v.Voter}]
	if stands == nil {
		return nil
	}
	if _, again := stands[v.Topic()]; !again && v.Undoes == 0 && v.Outcome != palate.Skip && len(stands) >= b.Rules.Quota {
		return fmt.Errorf("%w: %d on board %q", store.ErrQuota, len(stands), v.Board)
	}
	v.Seq = unnumbered
	note(stands, v)
	return nil
}
