package rating

import (
	"math"
	"math/rand/v2"
	"testing"
)

// world draws people who rate items as the model has it, each so many of them, and of votes
// between two so many.
type world struct {
	items, people, each, votes, factors, classes int
	offset, spread, taste                        float64
}

func (o world) draw(seed uint64) (rows []Row, mu []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	v := make([][]float64, o.items)
	for i := range o.items {
		mu = append(mu, rng.NormFloat64())
		for range o.factors {
			v[i] = append(v[i], o.taste*rng.NormFloat64())
		}
	}
	cuts := make([]float64, o.classes-1)
	for k := range cuts {
		cuts[k] = -1.5 + 3*float64(k)/float64(o.classes-2)
	}
	for u := range o.people {
		off, b := o.offset*rng.NormFloat64(), math.Exp(o.spread*rng.NormFloat64())
		w := make([]float64, o.factors)
		for c := range w {
			w[c] = rng.NormFloat64()
		}
		utility := func(i int) float64 {
			z := mu[i] + noise*rng.NormFloat64()
			for c, x := range w {
				z += x * v[i][c]
			}
			return z
		}
		for _, i := range rng.Perm(o.items)[:o.each] {
			z, class := utility(i)+off, 0
			for class < len(cuts) && z > b*cuts[class] {
				class++
			}
			rows = append(rows, Row{User: u, Item: i, Other: -1, Rating: float64(1 + class), Weight: 1})
		}
		for range o.votes {
			i := rng.IntN(o.items)
			j := (i + 1 + rng.IntN(o.items-1)) % o.items
			if utility(i) < utility(j) {
				i, j = j, i
			}
			rows = append(rows, Row{User: u, Item: i, Other: j, Weight: 1})
		}
	}
	return rows, mu
}

func scaleOf(t *testing.T, rows []Row) *Scale {
	t.Helper()
	var values []float64
	for _, r := range rows {
		if r.Other < 0 {
			values = append(values, r.Rating)
		}
	}
	s, err := NewScale(values, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}
