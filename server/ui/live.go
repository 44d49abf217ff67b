package ui

import (
	"fmt"
	"net/http"
	"time"

	"palate/server"
	"palate/server/web"
)

// calm is the least time between two messages: boards with hundreds of votes a second
// need not be drawn as often. Where thousands watch, each of them asks for what has
// changed, so that it is longer.
func calm(watchers int) time.Duration {
	return max(time.Second, time.Duration(watchers)*2*time.Millisecond)
}

// events tells the leaderboard that something changed, until the reader goes.
func (p *pages) events(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "board")
	if err != nil {
		return err
	}
	if !v.SeesBoard() {
		return server.ErrForbidden
	}
	changes, cancel := p.svc.Subscribe(v.Board.ID)
	defer cancel()
	send := web.Stream(w)
	if send("retry: 2000\n\n") != nil {
		return nil
	}
	var last int64
	pending := false
	tick := time.NewTimer(time.Second)
	defer tick.Stop()
	quiet := time.Now()
	for {
		select {
		case <-r.Context().Done():
			return nil
		case e, open := <-changes:
			if !open {
				return nil // the server is going
			}
			last, pending = max(last, e.Seq), true
			continue
		case <-tick.C:
			tick.Reset(calm(p.svc.Watchers(v.Board.ID)))
		}
		message := ""
		switch {
		case pending:
			message = fmt.Sprintf("event: change\ndata: %d\n\n", last)
		case time.Since(quiet) > web.Breath:
			message = ": still here\n\n"
		default:
			continue
		}
		if send(message) != nil {
			return nil // the reader has gone
		}
		pending, quiet = false, time.Now()
	}
}
