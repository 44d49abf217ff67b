package server

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// cached is a view of a board that takes a while to make, as it was made last.
type cached[T any] struct {
	mu   sync.Mutex
	last *making[T] // nil before the first
	now  *making[T] // under way; nil: none
}

// making is one making of it.
type making[T any] struct {
	version int64 // of the board, at least
	done    chan struct{}
	at      time.Time // when it was
	took    time.Duration
	value   T
	err     error
}

const (
	// viewAge is for how long a view that everybody looks at is not made anew.
	viewAge = 500 * time.Millisecond
	// patience is how long a request waits for something newer than what there is.
	patience = time.Second
)

// keep returns a view of a board as it is now, or was within a certain age. One
// request at a time has it made, and the others wait for that: for a moment when
// there is an older one, and else until they end.
func keep[T any](ctx context.Context, s *Service, l *live, k *cached[T], age time.Duration, produce func() (T, error)) (value T, err error) {
	l.mu.RLock()
	version := l.version
	l.mu.RUnlock()
	late := time.After(patience)
	for {
		k.mu.Lock()
		last := k.last
		if last != nil && (last.version >= version || time.Since(last.at) < last.lasts(age)) {
			k.mu.Unlock()
			return last.value, nil
		}
		if k.now == nil {
			k.start(s, version, produce)
		}
		now := k.now
		k.mu.Unlock()
		if last == nil {
			late = nil
		}
		select {
		case <-now.done:
			if now.err != nil || now.version >= version {
				return now.value, now.err
			}
		case <-late:
			return last.value, nil
		case <-ctx.Done():
			return value, ctx.Err()
		}
	}
}

// lasts is for how long a view is not made anew that may be of a certain age: one that
// takes long is made less often, so that it takes a fifth of a processor at most.
func (m *making[T]) lasts(age time.Duration) time.Duration {
	if age == 0 {
		return 0
	}
	return max(age, 4*m.took)
}

// start has it made, whoever waits for it. The caller holds k.mu.
func (k *cached[T]) start(s *Service, version int64, produce func() (T, error)) {
	m := &making[T]{version: version, done: make(chan struct{})}
	k.now = m
	began := time.Now()
	s.done.Go(func() {
		defer close(m.done)
		m.err = s.attempt(func() (err error) { m.value, err = produce(); return err })
		k.mu.Lock()
		defer k.mu.Unlock()
		k.now, m.at, m.took = nil, time.Now(), time.Since(began)
		if m.err == nil {
			k.last = m
		}
	})
}

// attempt does work on one board in the background, without holding its locks. A panic is its
// error, as it would be that of one request: other boards go on.
func (s *Service) attempt(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("server: %.200v", p)
			s.log.Error("panic", "error", p, "stack", string(debug.Stack()))
		}
	}()
	return work()
}
