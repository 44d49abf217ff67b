package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/internal/num"
	"palate/likelihood"
)

// leaners vote by tastes of their own and by what the left side is worth to each.
func leaners(t *testing.T, persons, votes int, leans []float64, rng *rand.Rand) *People {
	t.Helper()
	const items = 10
	shared := make([]float64, items)
	for i := range shared {
		shared[i] = rng.NormFloat64()
	}
	var tallies []palate.Tally
	for u := range persons {
		f := make([]float64, items)
		for i := range f {
			f[i] = shared[i] + 0.7*rng.NormFloat64()
		}
		for range votes {
			a, b := rng.IntN(items), rng.IntN(items-1)
			if b >= a {
				b++
			}
			side := 1 // of a
			if rng.Float64() > num.Phi(f[a]-f[b]+leans[u]) {
				a, b, side = b, a, -1
			}
			tallies = append(tallies, palate.Tally{A: a, B: b, User: u, Weight: 1, Side: side})
		}
	}
	p, err := NewPeople(items, tallies)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Where what won was always on the left, a lean is a margin that votes did not need.
func TestLeanIsOffset(t *testing.T) {
	const lean = 0.6
	rng := rand.New(rand.NewPCG(3, 1))
	p := leaners(t, 4, 12, make([]float64, 4), rng)
	for k := range p.kinds {
		p.kinds[k].Side = 1
	}
	prior := &LowRank{Items: NewItems(p.items, nil, nil, nil), Scale: 0.8, T: make([]float64, p.items)}
	evidence := func(s Settings, leans []float64) float64 {
		s.Tolerance, s.MaxSweeps = 1e-10, 500
		e, err := NewEngine(p, s)
		if err != nil {
			t.Fatal(err)
		}
		e.Leans = leans
		z, _, err := e.Evaluate(t.Context(), prior)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	got := evidence(Settings{}, []float64{lean, lean, lean, lean})
	want := evidence(Settings{Likelihood: func(Observation) likelihood.Scalar { return likelihood.Probit{Offset: -lean} }}, nil)
	if math.Abs(got-want) > 1e-8 {
		t.Errorf("log evidence %.10g, with an offset %.10g", got, want)
	}
}

// The slope of the evidence in a lean is its difference.
func TestLeanSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	leans := []float64{0.3, -0.5, 1}
	p := leaners(t, 3, 15, leans, rng)
	prior := &LowRank{Items: NewItems(p.items, nil, nil, nil), Scale: 0.8, T: make([]float64, p.items)}
	e, err := NewEngine(p, Settings{Tolerance: 1e-10, MaxSweeps: 500})
	if err != nil {
		t.Fatal(err)
	}
	at := func(by float64) []float64 {
		e.Leans = []float64{0.3 + by, -0.5 + by, 1 + by}
		if _, _, err := e.Evaluate(t.Context(), prior); err != nil {
			t.Fatal(err)
		}
		return append([]float64(nil), e.logZ...)
	}
	const h = 1e-4
	up, down := at(h), at(-h)
	at(0)
	told := newLeaning(e)
	if _, _, err := e.Evaluate(t.Context(), prior, told); err != nil {
		t.Fatal(err)
	}
	for u := range leans {
		if want := (up[u] - down[u]) / (2 * h); math.Abs(told.slope[u]-want) > 1e-6 {
			t.Errorf("person %d: slope %g, by differences %g", u, told.slope[u], want)
		}
	}
}

// Leans are found where there are some, and only there.
func TestLeansAreFound(t *testing.T) {
	const persons = 50
	rng := rand.New(rand.NewPCG(5, 1))
	truth := make([]float64, persons)
	none, err := LearnFamily(t.Context(), leaners(t, persons, 30, truth, rng), nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if none.Leans != nil {
		t.Errorf("leans of spread %.2f around %.2f where there are none", none.Leans.Spread, none.Leans.Centre)
	}
	for u := range truth {
		truth[u] = 0.3 + 0.8*rng.NormFloat64()
	}
	some, err := LearnFamily(t.Context(), leaners(t, persons, 30, truth, rng), nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if some.Leans == nil {
		t.Fatal("no leans")
	}
	var xy, xx, yy float64
	p := some.People()
	for u, got := range some.Leans.Of {
		x, y := got-some.Leans.Centre, truth[p.Owner(u)]-0.3
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if c := xy / math.Sqrt(xx*yy); !(c > 0.8) || math.Abs(some.Leans.Centre-0.3) > 0.3 || some.Leans.Spread < 0.5 || some.Leans.Spread > 1.2 {
		t.Errorf("leans of spread %.2f around %.2f, correlation with the truth %.2f", some.Leans.Spread, some.Leans.Centre, c)
	}
}
