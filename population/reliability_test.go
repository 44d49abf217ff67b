package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"palate"
)

// startReliability is a mixture of levels of reliability at a random point.
func startReliability(t *testing.T, rng *rand.Rand, it *Items, ties bool) *mixture {
	t.Helper()
	s, err := startTastes(t, rng, 0, it, ties).run.newReliability(startTastes(t, rng, 0, it, ties))
	if err != nil {
		t.Fatal(err)
	}
	tight(s.engine...)
	s.spread[0] = 0.7
	return s
}

// With one level, and where the others have no share, reliability is own tastes.
func TestOneLevelIsOwnTastes(t *testing.T) {
	f := startTastes(t, rand.New(rand.NewPCG(5, 2)), 0, blank(6), false)
	value, grad, err := f.evaluate(t.Context(), f.point)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.run.newReliability(f)
	if err != nil {
		t.Fatal(err)
	}
	tight(s.engine...)
	s.point[6] = math.Log(0.02)
	got, slope, err := s.evaluate(t.Context(), s.point)
	if err != nil {
		t.Fatal(err)
	}
	if got -= logSpreadPrior(s.point[6]); math.Abs(got-value) > 1e-8*math.Abs(value) {
		t.Errorf("objective %g, with one level %g", value, got)
	}
	for i := range 6 {
		if math.Abs(slope[i]-grad[i]) > 1e-7 {
			t.Errorf("item %d: slope %g, with one level %g", i, grad[i], slope[i])
		}
	}
}

// People who differ in how careful they are alone are told apart by it, and the consensus is theirs.
func TestReliabilityIsFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	const items, persons, votes = 8, 60, 30
	u := make([]float64, items)
	for i := range u {
		u[i] = 1.3 * rng.NormFloat64()
	}
	var tallies []palate.Tally
	care := make([]float64, persons) // its logarithm
	for p := range care {
		care[p] = rng.NormFloat64()
		for range votes {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			if math.Exp(care[p])*(u[a]-u[b])+rng.NormFloat64() < 0 {
				a, b = b, a
			}
			tallies = append(tallies, palate.Tally{User: p, A: a, B: b, Weight: 1})
		}
	}
	f, err := LearnFamily(t.Context(), mustPeople(t, items, tallies), nil, 1, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := f.Reliable()
	if m == nil || m.Weight < 0.5 {
		t.Fatalf("reliability does not matter: %v", f)
	}
	levels, chance, err := m.Reliability(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for k, c := range reliabilities {
		if math.Abs(levels[k]-c) > 1e-9 {
			t.Errorf("level %d is %g, want %g", k, levels[k], c)
		}
	}
	found := make([]float64, persons)
	for p := range found {
		for k, c := range levels {
			found[p] += chance[k][p] * math.Log(c)
		}
	}
	if r := stat.Correlation(found, care, nil); r < 0.75 {
		t.Errorf("reliabilities correlate with the truth by %.2f", r)
	}
	c, err := m.consensus(t.Context(), f.Items())
	if err != nil {
		t.Fatal(err)
	}
	if r := stat.Correlation(c.Mean, u, nil); r < 0.98 {
		t.Errorf("the consensus correlates with the truth by %.2f", r)
	}
}

// A file may not have fewer levels of reliability than there are.
func TestLevelsAreChecked(t *testing.T) {
	if err := (&Member{Name: ofReliability, Classes: make([]Class, 2)}).Check(); err == nil {
		t.Error("two levels of reliability are taken for all")
	}
}
