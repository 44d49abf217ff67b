package server

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// phase is a part of what a request waits for.
type phase int

const (
	phaseLoad   phase = iota // a board that is not in memory yet
	phaseBallot              // the store, for what it knows of a voter
	phaseChoose              // the choice of a pair
	phasePose                // the store, until a question is written
	phaseStore               // the store, until a vote is written
	phaseFold                // the board's lock, and a vote folded in
	phaseRank                // a leaderboard
	phases
)

// String is the name of a phase in metrics and logs.
func (p phase) String() string {
	return [...]string{"load", "ballot", "choose", "pose", "store", "fold", "rank"}[p]
}

// Trace is where the time of a request went. It is safe for concurrent use.
type Trace struct {
	mu    sync.Mutex
	spent [phases]time.Duration
}

type traceKey struct{}

// WithTrace returns a context whose requests note where their time goes.
func WithTrace(ctx context.Context) (context.Context, *Trace) {
	t := &Trace{}
	return context.WithValue(ctx, traceKey{}, t), t
}

// Spent returns the phases that took time and how many seconds each, for a log.
func (t *Trace) Spent() (all []any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p, d := range t.spent {
		if d > 0 {
			all = append(all, phase(p).String(), d.Seconds())
		}
	}
	return all
}

// spent notes that a phase began at some time and has ended.
func (s *Service) spent(ctx context.Context, p phase, began time.Time) {
	d := time.Since(began)
	s.meter.phases[p].observe(d)
	if t, ok := ctx.Value(traceKey{}).(*Trace); ok {
		t.mu.Lock()
		t.spent[p] += d
		t.mu.Unlock()
	}
}

// writePhases writes the time that phases took.
func (m *meter) writePhases(w io.Writer) {
	const name = "palate_phase_seconds"
	fmt.Fprintf(w, "# HELP %s Where the time of requests goes.\n# TYPE %s histogram\n", name, name)
	for p := range phases {
		m.phases[p].write(w, name, fmt.Sprintf("phase=%q,", p))
	}
}
