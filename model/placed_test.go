package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// places makes a list of numbers, some of them equal.
func places(n int, rng *rand.Rand) []placed {
	list := make([]placed, n)
	for i := range list {
		list[i] = placed{rng.NormFloat64(), i}
		if rng.IntN(4) == 0 {
			list[i].x = math.Round(list[i].x)
		}
	}
	return list
}

// Counting and comparing sort alike.
func TestSortPlaced(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, fewPlaced, fewPlaced + 1, 5000} {
		list := places(n, rng)
		if n > 10 {
			list[3].x, list[5].x, list[7].x, list[9].x = math.Inf(1), math.Inf(-1), 1e-320, -1e300
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, func(a, b placed) int {
			switch {
			case a.x < b.x:
				return -1
			case a.x > b.x:
				return 1
			}
			return a.at - b.at
		})
		got := sortPlaced(list, make([]placed, n))
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%d of %d: %v, want %v", i, n, got[i], want[i])
			}
		}
	}
}

// BenchmarkSortPlaced reports how many times as long comparing takes.
func BenchmarkSortPlaced(b *testing.B) {
	for _, n := range []int{2000, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			all := places(n, rand.New(rand.NewPCG(1, 2)))
			list, room := make([]placed, n), make([]placed, n)
			var took [2]time.Duration
			for b.Loop() {
				copy(list, all)
				start := time.Now()
				sortPlaced(list, room)
				took[0] += time.Since(start)
				copy(list, all)
				start = time.Now()
				slices.SortFunc(list, func(a, b placed) int {
					switch {
					case a.x < b.x:
						return -1
					case a.x > b.x:
						return 1
					}
					return 0
				})
				took[1] += time.Since(start)
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "compared-vs-counted")
		})
	}
}
