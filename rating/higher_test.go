package rating

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"palate/internal/num"
)

// Which of two ratings is the better, where they differ, is what draws of both say, and of
// numbers what a vote would.
func TestHigher(t *testing.T) {
	o := world{items: 12, people: 60, each: 6, factors: 1, classes: 5, offset: 0.8, spread: 0.3, taste: 0.8}
	rows, _ := o.draw(4)
	f, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := 1 + f.Factors
	rng := rand.New(rand.NewPCG(1, 1))
	for _, p := range []*Person{f.Person(3), f.Person(17), f.NewPerson()} {
		root := append([]float64(nil), p.Cov...)
		if _, ok := num.Factor(root, q); !ok {
			t.Fatal("no factor of what is known of a person")
		}
		for _, pair := range [][2]int{{1, 2}, {9, 4}, {0, 11}} {
			const draws = 100_000
			var up, down float64
			white, at := make([]float64, q), make([]float64, q)
			for range draws {
				for a := range q {
					white[a] = rng.NormFloat64()
					at[a] = p.Mean[a] + num.Dot(root[a*q:a*q+a+1], white[:a+1])
				}
				var class [2]int
				for side, i := range pair {
					x := f.Items[i*q] + at[q-1] + noise*rng.NormFloat64() + math.Sqrt(f.unsure(i, p.Mean, p.Cov))*rng.NormFloat64()
					for c := range f.Factors {
						x += at[c] * f.Items[i*q+1+c]
					}
					for class[side] < len(f.Cuts) && x > p.Spread*f.Cuts[class[side]] {
						class[side]++
					}
				}
				switch {
				case class[0] > class[1]:
					up++
				case class[0] < class[1]:
					down++
				}
			}
			got, want := p.Higher(pair[0], pair[1]), up/(up+down)
			if math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/(up+down)) {
				t.Errorf("items %v: chance %.4f, of draws %.4f", pair, got, want)
			}
			near(t, "both ways", p.Higher(pair[1], pair[0]), 1-got, 1e-12)
			if vote := p.Prefer(pair[0], pair[1]); math.Abs(got-0.5) < math.Abs(vote-0.5) {
				t.Errorf("items %v: chance %.4f is nearer to a coin's than a vote's, %.4f", pair, got, vote)
			}
		}
	}
}
