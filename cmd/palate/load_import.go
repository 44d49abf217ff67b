package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"palate/server/web"
)

// importVoters is how many voters the votes of a file are of.
const importVoters = 1000

// beside imports a file of votes into a board of its own while others vote.
type beside struct {
	done    chan struct{}
	seconds float64
	added   int
	err     error
}

// start begins the import.
func (b *beside) start(ctx context.Context, l *load, s *stand) {
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		began := time.Now()
		b.added, b.err = l.importRows(ctx, newRemote(l.servers[0], s.secret), s.board)
		b.seconds = time.Since(began).Seconds()
	}()
}

// importRows sends a file of so many votes and waits until they are stored.
func (l *load) importRows(ctx context.Context, r *remote, board string) (added int, err error) {
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
		fmt.Fprintf(&file, "u%d,item %d,item %d,%s\n", rng.IntN(importVoters), i, j, winner)
	}
	i, err := r.importFile(ctx, "/api/boards/"+board, url.Values{"name": {"votes.csv"}}, &file)
	return i.Added, err
}

// importFile sends a file of votes and waits until the server has done with it.
func (r *remote) importFile(ctx context.Context, board string, settings url.Values, file io.Reader) (i web.ImportJSON, err error) {
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
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return i, ctx.Err()
		}
		err := patiently(ctx, func() error {
			return r.call(ctx, http.MethodGet, board+"/imports/"+i.ID, nil, &i)
		})
		if err != nil {
			return i, err
		}
	}
	if i.State != "done" {
		return i, fmt.Errorf("the import is %s after %d votes: %s", i.State, i.Added, i.Says)
	}
	return i, nil
}
