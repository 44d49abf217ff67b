package relational

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"palate/store"
)

// maxGroup is the most writes that share one transaction.
const maxGroup = 256

// patience is how long a group may take before its voters are told that the
// database is away.
const patience = 10 * time.Second

var errClosed = errors.New("store: closed")

// write is something of one voter on its way to the disk: a vote, or a question.
type write struct {
	entry store.Entry // a vote, with board and voter in any case
	// A question, when posed is not nil: it is opened if the ballot is as it was read.
	posed *store.Question
	read  store.Ballot
	file  bool // it is a vote of a file
	done  chan<- written
}

type written struct {
	vote  store.Vote
	fresh bool
	err   error
}

// owner is by whom a ballot is found.
type owner struct{ board, voter string }

// identity is what a vote is stored once by.
type identity struct {
	owner
	key string
}

func (w write) owner() owner       { return owner{w.entry.Board, w.entry.Voter} }
func (w write) identity() identity { return identity{w.owner(), w.entry.Key} }

// submit waits until a write is on disk.
func (db *DB) submit(ctx context.Context, w write) written {
	done := make(chan written, 1)
	w.done = done
	gone := written{vote: w.entry.Vote}
	select {
	case db.writes <- w:
	case <-ctx.Done():
		gone.err = ctx.Err()
		return gone
	case <-db.stop:
		gone.err = errClosed
		return gone
	}
	select {
	case r := <-done:
		return r
	case <-ctx.Done(): // it may yet be stored; telling again is safe
		gone.err = ctx.Err()
		return gone
	case <-db.ended:
	}
	select { // it may have been of the last group
	case r := <-done:
		return r
	default:
		gone.err = errClosed
		return gone
	}
}

// writeGroups writes in groups: all that has come in while the last group was
// written.
func (db *DB) writeGroups() {
	defer close(db.ended)
	for {
		select {
		case first := <-db.writes:
			db.writeGroup(db.waiting(first))
		case <-db.stop:
			for {
				select {
				case first := <-db.writes:
					db.writeGroup(db.waiting(first))
				default:
					return
				}
			}
		}
	}
}

func (db *DB) waiting(first write) []write {
	group := []write{first}
	for len(group) < maxGroup {
		select {
		case next := <-db.writes:
			group = append(group, next)
		default:
			return group
		}
	}
	return group
}

// writeGroup writes a group. When it fails because of one of them the others must
// not suffer: each is tried again alone.
func (db *DB) writeGroup(group []write) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	results, err := db.writeTogether(ctx, group)
	if errors.Is(err, store.ErrUnavailable) { // a connection may have broken; keys make it safe to try again
		results, err = db.writeTogether(ctx, group)
	}
	for k, w := range group {
		switch {
		case err == nil:
			w.done <- results[k]
		case len(group) > 1 && !errors.Is(err, store.ErrUnavailable):
			alone, err := db.writeTogether(ctx, group[k:k+1])
			if err != nil {
				alone = []written{{vote: w.entry.Vote, err: err}}
			}
			w.done <- alone[0]
		default:
			w.done <- written{vote: w.entry.Vote, err: err}
		}
	}
}

// writeTogether does a group in one transaction.
func (db *DB) writeTogether(ctx context.Context, group []write) (results []written, err error) {
	err = db.change(ctx, "votes", func(tx *sql.Tx) error {
		results, err = db.resolve(ctx, tx, group)
		return err
	})
	return results, err
}

// resolve decides what becomes of each write, in order, by what is stored, and
// stores it: statements are on many rows at a time.
func (db *DB) resolve(ctx context.Context, tx *sql.Tx, group []write) ([]written, error) {
	ballots, err := db.readBallots(ctx, tx, group)
	if err != nil {
		return nil, err
	}
	known, err := db.readVotes(ctx, tx, group)
	if err != nil {
		return nil, err
	}
	terms, err := db.readTerms(ctx, tx, group)
	if err != nil {
		return nil, err
	}
	results := make([]written, len(group))
	first := map[identity]int{} // where in the group a vote is fresh
	var votes []store.Vote
	changed, had := map[owner]bool{}, map[owner]bool{}
	for who, b := range ballots {
		had[who] = b != (store.Ballot{})
	}
	for k, w := range group {
		r, b, id := &results[k], ballots[w.owner()], w.identity()
		r.vote = w.entry.Vote
		if w.posed != nil {
			if b.Seq != w.read.Seq || b.Open.Key != w.read.Open.Key {
				r.err = fmt.Errorf("%w: a question", store.ErrStale)
				continue
			}
			b.Open = *w.posed
			ballots[w.owner()], changed[w.owner()] = b, true
			continue
		}
		if v, told := known[id]; told {
			r.vote = v
			continue
		}
		if _, told := first[id]; told {
			continue // its result is that of the first, which has no number yet
		}
		switch {
		case w.entry.Answers && b.Open.Key != w.entry.Key:
			r.err = fmt.Errorf("%w: the question is not open", store.ErrStale)
			continue
		case w.entry.Undoes != 0 && b.Seq > w.entry.Known:
			r.err = fmt.Errorf("%w: an undo", store.ErrStale)
			continue
		}
		if !w.file {
			if r.err = terms.allow(w.entry.Vote); r.err != nil {
				continue
			}
		}
		if about(b.Open, w.entry.Vote) {
			b.Open = store.Question{}
		}
		if w.entry.Opens != nil {
			b.Open = *w.entry.Opens
		}
		// Of a file's voters who have no ballot none is made: nobody is asking them.
		if !w.file || had[w.owner()] {
			changed[w.owner()] = true
		}
		b.Seq = unnumbered // nothing in this group knows of it
		ballots[w.owner()] = b
		first[id], r.fresh = k, true
		votes = append(votes, w.entry.Vote)
	}
	seqs, err := db.insertVotes(ctx, tx, votes)
	if err != nil {
		return nil, err
	}
	for k, w := range group {
		at, stored := first[w.identity()]
		if w.posed != nil || !stored {
			continue
		}
		if at != k {
			results[k].vote = group[at].entry.Vote
		}
		seq := seqs[w.identity()]
		results[k].vote.Seq = seq
		if at == k {
			b := ballots[w.owner()]
			if b.Seq == unnumbered || seq > b.Seq {
				b.Seq = seq
			}
			ballots[w.owner()] = b
		}
	}
	if err := writeComments(ctx, tx, group, results); err != nil {
		return nil, err
	}
	return results, db.writeBallots(ctx, tx, ballots, changed)
}

// about reports whether a vote says something about what is asked.
func about(q store.Question, v store.Vote) bool { return v.Undoes == 0 && q.Topic() == v.Topic() }

// unnumbered is the Seq of a ballot with a record that has no number yet.
const unnumbered = int64(1) << 62

// inChunks runs a statement on the values of so many rows at a time, given their tuples
// of placeholders, and hands every row that it returns to scan. A statement that runs
// more than once is prepared once.
func (db *DB) inChunks(ctx context.Context, tx *sql.Tx, values []any, columns int, statement func(tuples string) string, scan func(func(...any) error) error) error {
	size := max(1, db.dialect.Most/columns) * columns
	query := tx.QueryContext
	if len(values) >= 2*size {
		whole, err := tx.PrepareContext(ctx, statement(db.tuples(size/columns, columns)))
		if err != nil {
			return err
		}
		defer whole.Close()
		query = func(ctx context.Context, text string, some ...any) (*sql.Rows, error) {
			if len(some) == size {
				return whole.QueryContext(ctx, some...)
			}
			return tx.QueryContext(ctx, text, some...)
		}
	}
	for some := range slices.Chunk(values, size) {
		rows, err := query(ctx, statement(db.tuples(len(some)/columns, columns)), some...)
		if err != nil {
			return err
		}
		for rows.Next() && err == nil {
			err = scan(rows.Scan)
		}
		if err := cmp.Or(err, rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

// tuples writes n tuples of placeholders.
func (db *DB) tuples(n, columns int) string {
	var b strings.Builder
	for k := range n * columns {
		switch {
		case k == 0:
			b.WriteString("(")
		case k%columns == 0:
			b.WriteString("), (")
		default:
			b.WriteString(", ")
		}
		if db.dialect.Numbered {
			fmt.Fprintf(&b, "$%d", k+1)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String() + ")"
}
