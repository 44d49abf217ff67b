package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"palate/server/web"
)

// importVoters is how many voters the votes of a file are of.
const importVoters = 1000

// beside imports a file of votes into a board of its own while others vote.
type beside struct {
	*stand
	rows    map[[3]string]int // left, right and winner of the file's rows, how often
	done    chan struct{}
	stored  atomic.Int64 // votes gone through
	seconds float64
	err     error
}

// start begins the import.
func (b *beside) start(ctx context.Context, l *load, s *stand) {
	b.stand, b.done, b.rows = s, make(chan struct{}), map[[3]string]int{}
	go func() {
		defer close(b.done)
		began := time.Now()
		b.err = b.send(ctx, l)
		b.seconds = time.Since(began).Seconds()
	}()
}

// send sends a file of so many votes and waits until they are stored. A file that a server
// did not receive whole is sent again: what it has already is not added twice.
func (b *beside) send(ctx context.Context, l *load) error {
	rng := rand.New(rand.NewPCG(l.seed, 1<<40))
	var file bytes.Buffer
	file.WriteString("user,left,right,winner\n")
	for range l.imports {
		i := rng.IntN(l.items)
		j := (i + 1 + rng.IntN(l.items-1)) % l.items
		winner := "left"
		if float64(i)+10*rng.NormFloat64() > float64(j) {
			winner = "right"
		}
		left, right := fmt.Sprintf("item %d", i), fmt.Sprintf("item %d", j)
		b.rows[[3]string{left, right, winner}]++
		fmt.Fprintf(&file, "u%d,%s,%s,%s\n", rng.IntN(importVoters), left, right, winner)
	}
	r := newRemote(l.servers[0], b.secret)
	var failed error
	err := patiently(ctx, func() error {
		i, err := r.importFile(ctx, "/api/boards/"+b.board, url.Values{"name": {"votes.csv"}}, bytes.NewReader(file.Bytes()), func(i web.ImportJSON) { b.stored.Store(int64(i.Done)) })
		if i.State == "failed" || i.State == "cancelled" {
			failed, err = err, nil
		}
		return err
	})
	return cmp.Or(failed, err)
}

// goneOn waits until the import is seen to have stored something more, or is over.
func (b *beside) goneOn(ctx context.Context, since int64) int64 {
	for b.stored.Load() <= since {
		select {
		case <-b.done:
			return since
		case <-ctx.Done():
			return since
		case <-time.After(20 * time.Millisecond):
		}
	}
	return b.stored.Load()
}

// verify compares the votes of the board with the rows of the file, each of which must be
// there, once.
func (b *beside) verify(ctx context.Context, r *remote, f *figures) error {
	there := map[[3]string]int{}
	err := b.log(ctx, r, func(v record) { there[[3]string{v.Left, v.Right, v.Winner}]++; f.Imported++ })
	for row, n := range b.rows {
		f.Lost += max(0, n-there[row])
	}
	for row, n := range there {
		f.Twice += max(0, n-b.rows[row])
	}
	return err
}

// importFile sends a file of votes and waits until the server has done with it.
// meanwhile, which may be nil, hears how far it is.
func (r *remote) importFile(ctx context.Context, board string, settings url.Values, file io.Reader, meanwhile func(web.ImportJSON)) (i web.ImportJSON, err error) {
	body, err := r.send(ctx, http.MethodPost, board+"/import?"+settings.Encode(), "application/octet-stream", file)
	if err != nil {
		return i, err
	}
	defer body.Close()
	if err := json.NewDecoder(body).Decode(&i); err != nil {
		return i, err
	}
	for i.State == "receiving" || i.State == "running" {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return i, ctx.Err()
		}
		err := patiently(ctx, func() error {
			return r.call(ctx, http.MethodGet, board+"/imports/"+i.ID, nil, &i)
		})
		if err != nil {
			return i, err
		}
		if meanwhile != nil {
			meanwhile(i)
		}
	}
	if i.State != "done" {
		return i, fmt.Errorf("the import is %s after %d votes: %s", i.State, i.Added, i.Says)
	}
	return i, nil
}
