package active

import (
	"context"
	"testing"

	"palate/internal/heed"
)

// TestContexts: the search for a pair stops when its context ends.
func TestContexts(t *testing.T) {
	m := linked(t, 30, 60, 3)
	all := map[string]func(context.Context) error{
		"Settled": func(ctx context.Context) error { _, err := Settled(ctx, m, -1, Top(3), source(1)); return err },
	}
	for _, p := range Policies() {
		all["Next "+p.Name] = func(ctx context.Context) error {
			_, err := Next(ctx, m, -1, 5, &Options{Policy: p}, source(1))
			return err
		}
	}
	all["NextSet"] = func(ctx context.Context) error {
		_, err := NextSet(ctx, m, -1, 5, nil, source(1))
		return err
	}
	all["Next"] = all["Next "+Default().Name]
	heed.Law(t, all)
}
