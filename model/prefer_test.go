package model

import (
	"math/rand/v2"
	"sync"
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

// Chances of pairs that were asked for before, some of them at the same time, are those that Prefer
// finds anew, to the bit.
func TestPreferAllAgain(t *testing.T) {
	const items = 12
	d, _ := voters{items: items, users: 8, votes: 60}.draw(t, 1)
	m, err := FitSingle(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m.keptChances(-1) == nil {
		t.Fatal("a model with a grid keeps no chances")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var wait sync.WaitGroup
	for range 6 {
		left, right := make([]int, 40), make([]int, 40)
		for k := range left {
			left[k] = rng.IntN(items)
			right[k] = (left[k] + 1 + rng.IntN(items-1)) % items
		}
		wait.Go(func() {
			chance, err := PreferAll(t.Context(), m, -1, left, right)
			if err != nil {
				t.Error(err)
			}
			for k, p := range chance {
				if want := m.Prefer(-1, left[k], right[k]); p != want {
					t.Errorf("%d against %d: %v, anew %v", left[k], right[k], p, want)
				}
			}
		})
	}
	wait.Wait()
}
