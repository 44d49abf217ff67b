package drift

import (
	"context"
	"math/rand/v2"
	"testing"

	"palate/internal/heed"
)

// TestContexts: learning and draws stop when their context ends.
func TestContexts(t *testing.T) {
	v, _ := world(processes()["rough"], 5, 6, 10, rand.New(rand.NewPCG(3, 4)))
	f, err := Learn(t.Context(), v, Options{})
	if err != nil {
		t.Fatal(err)
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Learn": func(ctx context.Context) error { _, err := Learn(ctx, v, Options{}); return err },
		"Posterior.Draws": func(ctx context.Context) error {
			_, err := f.Draws(ctx, v.Times, 100, rand.New(rand.NewPCG(1, 2)))
			return err
		},
	})
}
