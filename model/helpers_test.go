package model

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"palate"
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

// crowdOf is FitCrowd in a test.
func crowdOf(t testing.TB, d *palate.Dataset, o *CrowdOptions) *Crowd {
	t.Helper()
	m, err := FitCrowd(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// populationOf is FitPopulation in a test.
func populationOf(t testing.TB, d *palate.Dataset, o *PopulationOptions) *Population {
	t.Helper()
	m, err := FitPopulation(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// built is what a builder has, in a test.
func built(t testing.TB, b *palate.Builder) *palate.Dataset {
	t.Helper()
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// reopened is a model as its file has it.
func reopened(t testing.TB, m Model) Model {
	t.Helper()
	file := saved(t, m)
	back, err := Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// checkGradient holds the gradient of a search at x to differences.
func checkGradient(t *testing.T, s *search, x []float64, tol float64) {
	t.Helper()
	_, grad, err := s.evaluate(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	want, err := s.differences(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range s.params {
		near(t, p.name, grad[i], want[i], tol)
	}
}
