package relational

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"palate/store"
)

const importColumns = `id, board, actor, name, settings, state, rows, done, added, bad, says, worker, until, created, changed`

func scanImport(scan func(...any) error) (store.Import, error) {
	var i store.Import
	var settings, state string
	var until, created, changed int64
	if err := scan(&i.ID, &i.Board, &i.Actor, &i.Name, &settings, &state, &i.Rows, &i.Done, &i.Added, &i.Bad, &i.Says, &i.Worker, &until, &created, &changed); err != nil {
		return i, err
	}
	i.State, i.Until, i.Created, i.Changed = store.ImportState(state), instant(until), instant(created), instant(changed)
	if err := json.Unmarshal([]byte(settings), &i.Settings); err != nil {
		return i, fmt.Errorf("settings of import %s: %w", i.ID, err)
	}
	return i, nil
}

// NewImport implements store.Store.
func (db *DB) NewImport(ctx context.Context, i store.Import, a store.Action) error {
	settings, err := json.Marshal(i.Settings)
	if err != nil {
		return fmt.Errorf("store: settings of import %s: %w", i.ID, err)
	}
	return db.change(ctx, "import", func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO imports (`+importColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			i.ID, i.Board, i.Actor, i.Name, string(settings), string(store.Receiving), 0, 0, 0, 0, "", "", 0, micros(i.Created), micros(i.Created)); err != nil {
			return err
		}
		a.Board = i.Board
		return record(ctx, tx, a)
	})
}

// AddPart implements store.Store.
func (db *DB) AddPart(ctx context.Context, id string, part int, bytes []byte, at time.Time) error {
	return db.change(ctx, "part of an import", func(tx *sql.Tx) error {
		if err := overtaken(tx.ExecContext(ctx, `UPDATE imports SET changed = $1 WHERE id = $2 AND state = $3`, micros(at), id, string(store.Receiving))); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO import_parts (import, part, bytes) VALUES ($1, $2, $3)`, id, part, bytes)
		return err
	})
}

// Part implements store.Store.
func (db *DB) Part(ctx context.Context, id string, part int) ([]byte, error) {
	return one(ctx, db, "part of an import", func(scan func(...any) error) (b []byte, err error) {
		err = scan(&b)
		return b, err
	}, `SELECT bytes FROM import_parts WHERE import = $1 AND part = $2`, id, part)
}

// Imports implements store.Store.
func (db *DB) Imports(ctx context.Context, board string) ([]store.Import, error) {
	if board == "" {
		return list(ctx, db, "imports", scanImport, `SELECT `+importColumns+` FROM imports WHERE state IN ($1, $2) ORDER BY created, id`, string(store.Receiving), string(store.Running))
	}
	return list(ctx, db, "imports", scanImport, `SELECT `+importColumns+` FROM imports WHERE board = $1 ORDER BY created DESC, id`, board)
}

// ClaimImport implements store.Store.
func (db *DB) ClaimImport(ctx context.Context, id, worker string, now, until time.Time) (i store.Import, err error) {
	err = db.change(ctx, "import", func(tx *sql.Tx) error {
		if err := overtaken(tx.ExecContext(ctx, `UPDATE imports SET state = $1, worker = $2, until = $3 WHERE id = $4 AND state IN ($5, $6) AND (worker = $7 OR until < $8)`,
			string(store.Running), worker, micros(until), id, string(store.Receiving), string(store.Running), worker, micros(now))); err != nil {
			return err
		}
		i, err = scanImport(tx.QueryRowContext(ctx, `SELECT `+importColumns+` FROM imports WHERE id = $1`, id).Scan)
		return err
	})
	return i, err
}

// AppendSlice implements store.Store.
func (db *DB) AppendSlice(ctx context.Context, s store.Slice) (fresh []store.Vote, err error) {
	group := make([]write, len(s.Votes))
	for k, v := range s.Votes {
		group[k].entry.Vote, group[k].file = v, true
	}
	err = db.change(ctx, "votes of an import", func(tx *sql.Tx) error {
		fresh = nil
		if len(group) > 0 {
			results, err := db.resolve(ctx, tx, group)
			if err != nil {
				return err
			}
			for _, r := range results {
				if r.fresh {
					fresh = append(fresh, r.vote)
				}
			}
		}
		return overtaken(tx.ExecContext(ctx, `UPDATE imports SET done = $1, added = added + $2, until = $3, changed = $4 WHERE id = $5 AND worker = $6 AND state = $7 AND done = $8`,
			s.To, len(fresh), micros(s.Until), micros(s.Until), s.Import, s.Worker, string(store.Running), s.From))
	})
	return fresh, err
}

// EndImport implements store.Store.
func (db *DB) EndImport(ctx context.Context, id, worker string, end store.Import, a store.Action) error {
	return db.change(ctx, "import", func(tx *sql.Tx) error {
		if err := overtaken(tx.ExecContext(ctx, `UPDATE imports SET state = $1, says = $2, bad = $3, changed = $4 WHERE id = $5 AND state IN ($6, $7) AND (worker = $8 OR $9 = '')`,
			string(end.State), end.Says, end.Bad, micros(end.Changed), id, string(store.Receiving), string(store.Running), worker, worker)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM import_parts WHERE import = $1`, id); err != nil {
			return err
		}
		a.Board = end.Board
		return record(ctx, tx, a)
	})
}

// NoteImport implements store.Store.
func (db *DB) NoteImport(ctx context.Context, id, worker string, rows, bad int, until time.Time) error {
	return db.change(ctx, "import", func(tx *sql.Tx) error {
		return overtaken(tx.ExecContext(ctx, `UPDATE imports SET rows = $1, bad = $2, until = $3 WHERE id = $4 AND worker = $5 AND state = $6`, rows, bad, micros(until), id, worker, string(store.Running)))
	})
}

// overtaken turns a change of no row into store.ErrStale.
func overtaken(r sql.Result, err error) error {
	if err := must(r, err); err == sql.ErrNoRows {
		return fmt.Errorf("%w: an import", store.ErrStale)
	} else if err != nil {
		return err
	}
	return nil
}
