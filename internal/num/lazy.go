package num

import (
	"context"
	"sync"
)

// Lazy is a value that is found when it is first asked for.
type Lazy[T any] struct {
	mu    sync.Mutex
	found bool
	value T
}

// Get returns the value, and finds it if need be; nothing is kept when that fails, as
// it does when ctx ends.
func (l *Lazy[T]) Get(ctx context.Context, find func(context.Context) (T, error)) (T, error) {
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
