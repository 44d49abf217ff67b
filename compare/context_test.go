package compare

import (
	"context"
	"math/rand/v2"
	"testing"

	"palate/internal/heed"
	"palate/model"
)

// TestContexts: comparing stops when its context ends.
func TestContexts(t *testing.T) {
	d, of, _ := twoBoards(t, 1, 1, 60, 40)
	m := fit(t, d)
	twins, err := FitTwins(t.Context(), d, of, nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	labels := make([]string, d.NumVotes())
	for k := range labels {
		labels[k] = []string{"x", "y"}[rng.IntN(2)]
	}
	categories := d.WithUsers(labels)
	population, err := model.FitPopulation(t.Context(), categories, nil)
	if err != nil {
		t.Fatal(err)
	}
	// What models find out once they remember, and do not ask again.
	if _, err := twins.Moves(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Boards(t.Context(), m, m, -1, -1, nil); err != nil {
		t.Fatal(err)
	}
	claim, err := ParseClaim("P(1 best) > 0.5")
	if err != nil {
		t.Fatal(err)
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Items":        func(ctx context.Context) error { _, err := Items(ctx, m, -1, [][2]int{{0, 1}}, nil); return err },
		"Boards":       func(ctx context.Context) error { _, err := Boards(ctx, m, m, -1, -1, nil); return err },
		"FitTwins":     func(ctx context.Context) error { _, err := FitTwins(ctx, d, of, nil); return err },
		"Twins.Moves":  func(ctx context.Context) error { _, err := twins.Moves(ctx, nil); return err },
		"Categories":   func(ctx context.Context) error { _, err := Categories(ctx, categories, population, nil); return err },
		"Claim.Chance": func(ctx context.Context) error { _, err := claim.Chance(ctx, m, -1, nil); return err },
	})
}
