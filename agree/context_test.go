package agree

import (
	"context"
	"testing"

	"palate/internal/heed"
	"palate/model"
)

// TestContexts: the comparison of voters stops when its context ends.
func TestContexts(t *testing.T) {
	d, _, err := model.Simulate(t.Context(), model.SimulateOptions{Model: "crowd", Items: 8, Users: 12, Votes: 400, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Analyse": func(ctx context.Context) error { _, err := Analyse(ctx, d, nil); return err },
	})
}
