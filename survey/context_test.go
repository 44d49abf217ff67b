package survey

import (
	"context"
	"testing"

	"palate/internal/heed"
)

// TestContexts: figures of surveys stop when their context ends.
func TestContexts(t *testing.T) {
	m, _ := people(t, 12, 6, 4, 0)
	users := everybody(m)
	r, err := Reaching(t.Context(), m, users, nil)
	if err != nil {
		t.Fatal(err)
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Voters":   func(ctx context.Context) error { _, err := Voters(ctx, m, users, nil, nil); return err },
		"Orders":   func(ctx context.Context) error { _, err := Orders(ctx, m, users, nil); return err },
		"Reaching": func(ctx context.Context) error { _, err := Reaching(ctx, m, users, nil); return err },
		"NewDesign": func(ctx context.Context) error {
			_, err := NewDesign(ctx, Plan{Items: 12, Size: 4, Tasks: 9, Versions: 5})
			return err
		},
		"Adapt": func(ctx context.Context) error {
			_, err := Adapt(ctx, m, Plan{Size: 4, Tasks: 5, Versions: 2})
			return err
		},
		"Reach.Portfolio": func(ctx context.Context) error { _, err := r.Portfolio(ctx, 3, nil); return err },
	})
}
