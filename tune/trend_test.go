package tune

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTrend: without answers the centre of a space is held to be best, whatever its kinds of
// parameters and constraints, words that have no order are all alike, and the derivatives of the
// mean are those by differences.
func TestTrend(t *testing.T) {
	s := box(t, 3)
	best, err := NewSearch(s, &Log{Seed: 4}).Best(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range best {
		if math.Abs(v-0.5) > 0.02 {
			t.Errorf("parameter %d is best at %.3f", j, v)
		}
	}

	s = space(t, espresso)
	rng := rand.New(rand.NewPCG(3, 5))
	h := s.newHyper(rng)
	x := s.Features(s.Sample(rng))
	slopes := make([]float64, len(x))
	s.trend(h, x, slopes, 1)
	for f := range x {
		const step = 1e-5
		at := x[f]
		x[f] = at + step
		up := s.trend(h, x, nil, 0)
		x[f] = at - step
		down := s.trend(h, x, nil, 0)
		x[f] = at
		if want := (up - down) / (2 * step); math.Abs(slopes[f]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("feature %d: slope %g, by differences %g", f, slopes[f], want)
		}
	}

	mixture, err := NewSpace(t.Context(), []Parameter{{Name: "a", To: 1}, {Name: "b", To: 1}, {Name: "c", To: 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := ParseConstraint("a + b + c = 1", mixture.Parameters)
	if err != nil {
		t.Fatal(err)
	}
	if mixture, err = NewSpace(t.Context(), mixture.Parameters, []Constraint{sum}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range mixture.centres {
		if math.Abs(c.at-1.0/3) > 0.05 {
			t.Errorf("the centre of a mixture of three is at %.3f", c.at)
		}
	}
}
