// Package heed has the law of all that takes a context: when the context ends, it
// stops, and says so. For tests.
package heed

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"

	"palate/internal/declared"
)

// counted is a context that counts how often it is asked whether it has ended, and
// ends at one of the times.
type counted struct {
	context.Context
	end   context.CancelFunc
	mu    sync.Mutex
	asked int
	last  int // 0: it does not end
}

func (c *counted) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked++; c.asked == c.last {
		c.end()
	}
	return c.Context.Err()
}

// run works until the context is asked for the last time, and returns how often it was.
func run(work func(context.Context) error, last int) (int, error) {
	inner, end := context.WithCancel(context.Background())
	defer end()
	c := &counted{Context: inner, end: end, last: last}
	err := work(c)
	return c.asked, err
}

// Law sees that work goes on while its context does, asking now and then, and that it
// returns the context's error whenever that ends, hardly ever asking again. The table
// has a row for every exported function and method (Type.Method) of the package in the
// current folder whose first argument is a context; rows of further names are welcome.
func Law(t *testing.T, all map[string]func(context.Context) error) {
	t.Helper()
	for _, name := range declared.Contexts(t) {
		if all[name] == nil {
			t.Errorf("%s takes a context and is not in the table", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			work := all[name]
			most, err := run(work, 0)
			if err != nil || most == 0 {
				t.Fatalf("asks %d times whether to go on; %v", most, err)
			}
			// The number of times may vary with the number of goroutines.
			for _, last := range slices.Compact([]int{1, min(2, most), min(1+most/3, most), min(1+most/2, most), max(1, 9*most/10)}) {
				asked, err := run(work, last)
				if !errors.Is(err, context.Canceled) || asked > last+50 {
					t.Errorf("told to stop at %d of %d, asks %d times; %v", last, most, asked, err)
				}
			}
		})
	}
}
