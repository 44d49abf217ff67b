package tune

import (
	"math/rand/v2"
	"testing"

	"palate"
)

// BenchmarkNext chooses a question after 200 duels in six dimensions: the fit is made, the
// choice is not.
func BenchmarkNext(b *testing.B) {
	s := box(b, 6)
	search := NewSearch(s, &Log{Seed: 1})
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := Duel{Left: s.Sample(rng), Right: s.Sample(rng)}
		if liking(s, d.Left)+0.3*rng.NormFloat64() < liking(s, d.Right) {
			d.Answer = palate.Right
		}
		search.Tell(d)
	}
	if _, err := search.Belief(b.Context()); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := search.Next(b.Context(), EUBO, 1); err != nil {
			b.Fatal(err)
		}
	}
}
