package model

import (
	"context"
	"sync"
)

// lazy is a value that is found when it is first asked for.
type lazy[T any] struct {
	mu    sync.Mutex
	found bool
	value T
}

// get returns the value, and finds it if need be; nothing is kept when that fails, as
// it does when ctx ends.
func (l *lazy[T]) get(ctx context.Context, find func(context.Context) (T, error)) (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.found {
		return l.value, nil
	}
	v, err := find(ctx)
	if err == nil {
		l.value, l.found = v, true
	}
	return v, err
}
