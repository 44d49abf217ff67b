package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"palate/internal/cli"
	"palate/server/web"
)

// touchFigures are what the first look at a board takes after a restart.
type touchFigures struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu_seconds"` // beyond that of a server that nobody looks at
	MB      float64 `json:"mb"`          // the most that the server took
}

// touch starts the server anew and looks at a board, once all fits are kept.
func (c *child) touch(ctx context.Context, s *stand) (*touchFigures, error) {
	if err := c.settled(ctx); err != nil {
		return nil, err
	}
	c.halt()
	idle, _, err := c.lifetime(ctx, func() error { return nil })
	if err != nil {
		return nil, err
	}
	var f touchFigures
	cpu, mb, err := c.lifetime(ctx, func() error {
		began := time.Now()
		var b web.LeaderboardJSON
		err := newRemote(c.address, s.secret).call(ctx, http.MethodGet, "/api/boards/"+s.board+"/board?limit=100", nil, &b)
		f.Seconds = time.Since(began).Seconds()
		return err
	})
	f.CPU, f.MB = cpu-idle, mb
	return &f, err
}

// lifetime runs the server while something is done, and returns its processor time and
// the most memory that it took.
func (c *child) lifetime(ctx context.Context, work func() error) (cpu, mb float64, err error) {
	if err := c.begin(); err != nil {
		return 0, 0, err
	}
	if err := c.wait(ctx); err != nil {
		return 0, 0, err
	}
	err = work()
	c.halt()
	state := c.running().ProcessState
	return (state.UserTime() + state.SystemTime()).Seconds(), peakMB(state), err
}

// halt lets the server end, to be begun again.
func (c *child) halt() {
	cmd := c.running()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
}

// settled waits until the server has fitted all votes and kept the fits.
func (c *child) settled(ctx context.Context) error {
	r := newRemote(c.address, "")
	for until := time.Now().Add(refitted); time.Now().Before(until); {
		body, err := r.send(ctx, http.MethodGet, "/metrics", "", nil)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(body)
		body.Close()
		if err != nil {
			return err
		}
		if m := string(text); strings.Contains(m, "\npalate_unsaved_fits 0\n") && strings.Contains(m, "\npalate_pending_votes 0\n") && !strings.Contains(m, "\npalate_boards 0\n") {
			return nil
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return cli.ErrInterrupted
		}
	}
	return fmt.Errorf("the server did not fit all votes within %v", refitted)
}
