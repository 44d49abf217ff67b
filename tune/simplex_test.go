package tune

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate/internal/num"
)

// TestMaximise: what is found satisfies every row, no point drawn at random is further inside,
// and where none is found none is drawn.
func TestMaximise(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found, none := 0, 0
	for range 300 {
		n := 1 + rng.IntN(4)
		var p programme
		for range rng.IntN(5) {
			row := make([]float64, n+1)
			for k := range n {
				row[k] = rng.NormFloat64()
			}
			scale(row, 1/norm(row))
			row[n] = 1
			p.add(row, rng.NormFloat64()-0.2, false)
		}
		for k := range n {
			above, below := make([]float64, n+1), make([]float64, n+1)
			above[k], above[n], below[k], below[n] = 1, 1, -1, 1
			p.add(above, 1, false)
			p.add(below, 0, false)
		}
		inside := func(x []float64) float64 { // the largest radius about a point
			least := math.Inf(1)
			for i, row := range p.rows {
				least = min(least, p.limits[i]-num.Dot(row[:n], x[:n]))
			}
			return least
		}
		best, err := p.maximise(t.Context())
		if err != nil && !errors.Is(err, errInfeasible) {
			t.Fatal(err)
		}
		radius := -1e-9
		if err == nil {
			if radius = best[n]; inside(best) < radius-1e-9 {
				t.Fatalf("radius %g, and it is %g", radius, inside(best))
			}
			found++
		} else {
			none++
		}
		for range 2000 {
			x := make([]float64, n)
			for k := range x {
				x[k] = rng.Float64()
			}
			if r := inside(x); r > radius+1e-9 {
				t.Fatalf("%v has the radius %g, and %g was found: %v", x, r, radius, err)
			}
		}
	}
	if found < 50 || none < 50 {
		t.Errorf("%d were found and %d not", found, none)
	}
}

// TestManyConstraints: a hundred parameters chained to each other leave nothing, which is said of
// the constraint that is too many.
func TestManyConstraints(t *testing.T) {
	chain := func(n int, more string) error {
		var text strings.Builder
		for k := range n {
			fmt.Fprintf(&text, "p%d=0..1\n", k)
		}
		for k := range n - 1 {
			fmt.Fprintf(&text, "p%d + p%d <= 1\n", k, k+1)
		}
		_, err := ParseSpace(t.Context(), "form", text.String()+more, nil)
		return err
	}
	if err := chain(99, "p0 >= 0.9\np1 >= 0.9\np2 >= 0.3"); err == nil || !strings.Contains(err.Error(), `"p1 >= 0.9" cannot hold`) {
		t.Error(err)
	}
	if err := chain(20, "p0 >= 0.9\np10 >= 0.9"); err != nil {
		t.Error(err)
	}
}
