package model

import (
	"math/rand/v2"
	"testing"
)

// boardOf is NewBoard in a test.
func boardOf(t testing.TB, p Predictor, user int, o *BoardOptions) *Board {
	t.Helper()
	b, err := NewBoard(t.Context(), p, user, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawsOf are draws in a test.
func drawsOf(t testing.TB, p Predictor, user, n int, rng *rand.Rand) Draws {
	t.Helper()
	d, err := p.Draws(t.Context(), user, n, rng)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
