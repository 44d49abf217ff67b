package palate

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
)

const benchVotes = 10_000_000

func benchDataset(tb testing.TB, items, users int) *Dataset {
	b := NewBuilder()
	for i := range items {
		b.Item(fmt.Sprint("item", i))
	}
	for u := range users {
		b.User(fmt.Sprint("user", u))
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range benchVotes {
		l := rng.IntN(items)
		r := (l + 1 + rng.IntN(items-1)) % items
		v := Vote{User: rng.IntN(users+1) - 1, Left: l, Right: r, Outcome: Outcome(rng.IntN(3)), Weight: 1}
		if err := b.Add(v); err != nil {
			tb.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		tb.Fatal(err)
	}
	return d
}

// BenchmarkMemory reports the bytes a vote takes in a dataset of ten million with voters.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	for range b.N {
		runtime.GC()
		runtime.ReadMemStats(&before)
		d := benchDataset(b, 200, 1000)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(d)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/benchVotes, "B/vote")
}

func BenchmarkTallies(b *testing.B) {
	for _, c := range []struct {
		name         string
		items, users int
		perUser      bool
	}{
		{"200 items", 200, 0, false},
		{"200 items per user", 200, 1000, true},
		{"100000 items", 100_000, 0, false},
		{"100000 items per user", 100_000, 100_000, true},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := benchDataset(b, c.items, c.users)
			b.ReportAllocs()
			for b.Loop() {
				d.Tallies(c.perUser)
			}
		})
	}
}

func BenchmarkComponents(b *testing.B) {
	d := benchDataset(b, 100_000, 0)
	for b.Loop() {
		d.Components()
	}
}

func BenchmarkDigest(b *testing.B) {
	d := benchDataset(b, 200, 1000)
	for b.Loop() {
		d.Digest()
	}
}
