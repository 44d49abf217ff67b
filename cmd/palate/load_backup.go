package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"palate/store"
	"palate/store/sqlite"
)

// backups copies the server's database again and again, and in the end compares every copy
// with the votes that were there at its time.
type backups struct {
	cancel context.CancelFunc
	done   chan struct{}
	seen   []backupState
	err    error
}

// backupState is the votes of a copy: how many, the last, and a digest of them all.
type backupState struct {
	votes  int
	last   int64
	digest uint64
}

// start begins to copy.
func (b *backups) start(ctx context.Context, database string) {
	ctx, b.cancel = context.WithCancel(ctx)
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		dir, err := os.MkdirTemp("", "palate-load-*")
		if err != nil {
			b.err = err
			return
		}
		defer os.RemoveAll(dir)
		for ctx.Err() == nil && b.err == nil {
			state, err := backedUp(ctx, database, dir)
			if ctx.Err() != nil {
				return
			}
			b.seen, b.err = append(b.seen, state), err
		}
	}()
}

// backedUp copies the database, restores the copy, and reads its votes.
func backedUp(ctx context.Context, database, dir string) (s backupState, err error) {
	copied, restored := filepath.Join(dir, "copy.db"), filepath.Join(dir, "restored.db")
	if err := sqlite.Backup(ctx, database, copied); err != nil {
		return s, err
	}
	if err := sqlite.Restore(ctx, copied, restored, true); err != nil {
		return s, err
	}
	st, err := sqlite.Open(ctx, restored)
	if err != nil {
		return s, err
	}
	defer st.Close()
	err = eachState(ctx, st, func(now backupState) { s = now })
	return s, err
}

// eachState goes through the votes of a store, and tells the state after each.
func eachState(ctx context.Context, st store.Store, tell func(backupState)) error {
	var s backupState
	digest := fnv.New64a()
	for {
		votes, err := st.Votes(ctx, "", s.last, 10_000)
		if err != nil {
			return err
		}
		for _, v := range votes {
			fmt.Fprintln(digest, v.Seq, v.Board, v.Voter, v.Key, v.Left, v.Right, v.Outcome, v.Undoes, v.Time.UnixMicro())
			s = backupState{s.votes + 1, v.Seq, digest.Sum64()}
			tell(s)
		}
		if len(votes) == 0 {
			return nil
		}
	}
}

// end stops copying and compares. It returns how many copies there were.
func (b *backups) end(ctx context.Context, database string) (int, error) {
	if b.done == nil {
		return 0, nil
	}
	b.cancel()
	<-b.done
	if b.err != nil {
		return 0, fmt.Errorf("backup: %w", b.err)
	}
	wanted := map[backupState]bool{{}: true} // before the first vote
	for _, s := range b.seen {
		wanted[s] = true
	}
	st, err := sqlite.Open(ctx, database)
	if err != nil {
		return 0, err
	}
	defer st.Close()
	delete(wanted, backupState{})
	if err := eachState(ctx, st, func(s backupState) { delete(wanted, s) }); err != nil {
		return 0, err
	}
	if len(wanted) > 0 {
		return 0, fmt.Errorf("%d of %d backups are not the votes of any time", len(wanted), len(b.seen))
	}
	return len(b.seen), nil
}
