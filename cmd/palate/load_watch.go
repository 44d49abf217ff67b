package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// watching is browsers that look at a leaderboard.
type watching struct {
	watchers               int
	cancel                 context.CancelFunc
	wg                     sync.WaitGroup
	heard, changes, failed atomic.Int64
	looks                  durations
}

// watchFigures are what they saw.
type watchFigures struct {
	Watchers int     `json:"watchers"`
	Heard    int     `json:"heard"` // watchers that heard of a change
	Changes  int     `json:"changes"`
	Looks    int     `json:"looks"`
	Failed   int     `json:"failed"`
	Look     summary `json:"look_ms"`
}

// start opens the streams, and goes on.
func (w *watching) start(ctx context.Context, server, board string) {
	ctx, w.cancel = context.WithCancel(ctx)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	at := server + "/b/" + board
	for range w.watchers {
		w.wg.Go(func() {
			if w.watch(ctx, client, at) != nil && ctx.Err() == nil {
				w.failed.Add(1)
			}
		})
	}
}

// watch looks at the board whenever it is told that something has changed.
func (w *watching) watch(ctx context.Context, client *http.Client, at string) error {
	stream, err := fetch(ctx, client, at+"/events")
	if err != nil {
		return err
	}
	defer stream.Close()
	in, first := bufio.NewScanner(stream), true
	for in.Scan() {
		if !strings.HasPrefix(in.Text(), "event: change") {
			continue
		}
		if w.changes.Add(1); first {
			w.heard.Add(1)
			first = false
		}
		began := time.Now()
		rows, err := fetch(ctx, client, at+"/rows")
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, rows)
		rows.Close()
		if err != nil {
			return err
		}
		w.looks.add(time.Since(began))
	}
	return in.Err()
}

func fetch(ctx context.Context, client *http.Client, at string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, &refusal{status: answer.StatusCode, says: answer.Status}
	}
	return answer.Body, nil
}

// end closes the streams and returns what they saw, nil when there were none.
func (w *watching) end() *watchFigures {
	if w.watchers == 0 {
		return nil
	}
	w.cancel()
	w.wg.Wait()
	return &watchFigures{w.watchers, int(w.heard.Load()), int(w.changes.Load()), len(w.looks.all), int(w.failed.Load()), w.looks.summary()}
}
