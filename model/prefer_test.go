package model

import (
	"math/rand/v2"
	"testing"
	"time"
)

// BenchmarkPreferAll reports how many times as long the chances of 5,000 pairs take one by one.
func BenchmarkPreferAll(b *testing.B) {
	const items, user = 40, 3
	d, _ := voters{items: items, users: 20, votes: 400}.draw(b, 1)
	rng := rand.New(rand.NewPCG(1, 2))
	left, right := make([]int, 5000), make([]int, 5000)
	for k := range left {
		left[k] = rng.IntN(items)
		right[k] = (left[k] + 1 + rng.IntN(items-1)) % items
	}
	for _, name := range []string{"single", "population", "crowd", "average", "joint", "bt", "plackett-luce"} {
		b.Run(name, func(b *testing.B) {
			e, err := Find(name)
			if err != nil {
				b.Fatal(err)
			}
			m, err := e.Fit(b.Context(), d, &Settings{})
			if err != nil {
				b.Fatal(err)
			}
			m.Prefer(user, left[0], right[0]) // finds what is found once
			var took [2]time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := PreferAll(b.Context(), m, user, left, right); err != nil {
					b.Fatal(err)
				}
				took[0] += time.Since(start)
				start = time.Now()
				for k := range left {
					m.Prefer(user, left[k], right[k])
				}
				took[1] += time.Since(start)
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "one-by-one-vs-at-once")
		})
	}
}
