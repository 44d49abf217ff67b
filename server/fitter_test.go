package server

import (
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"palate/internal/num"
)

// TestTurns: boards are refitted in turns. One that is due without end, or whose fit fails, keeps
// no other waiting.
func TestTurns(t *testing.T) {
	ready := make(chan struct{})
	close(ready)
	busy, broken, quiet := &live{id: "busy"}, &live{id: "broken"}, &live{id: "quiet"}
	s := &Service{boards: map[string]*entry{}}
	for _, l := range []*live{busy, broken, quiet} {
		l.stale = true
		s.boards[l.id] = &entry{ready: ready, live: l}
	}
	turns := map[string]int{}
	now := time.Now()
	for range 100 {
		now = now.Add(time.Second)
		l := s.next(now)
		if l == nil {
			t.Fatal("nobody's turn")
		}
		turns[l.id]++
		if l == broken {
			l.fails(now)
		}
	}
	if turns["busy"] < 40 || turns["quiet"] < 40 || turns["broken"] < 10 || turns["broken"] > 20 {
		t.Errorf("turns %v", turns)
	}
	quiet.importing = 1
	for range 5 {
		now = now.Add(time.Second)
		if l := s.next(now); l == quiet {
			t.Error("refitted during an import")
		}
	}
}

// TestAttempt: a panic in the background, on whatever goroutine, is an error of that work alone.
func TestAttempt(t *testing.T) {
	s := &Service{log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	for name, work := range map[string]func() error{
		"here": func() error { panic("broken") },
		"elsewhere": func() error {
			num.Parallel(100, 1, func(lo, _ int) {
				if lo == 50 {
					panic("broken")
				}
			})
			return nil
		},
	} {
		if err := s.attempt(work); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	stop := errors.New("stop")
	if err := s.attempt(func() error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
}
