package server

import (
	"fmt"
	"testing"

	"palate"
	"palate/store"
)

// busy is a board of n items with votes in proportion.
func busy(b *testing.B, n int) (s *Service, l *live, voter string) {
	st, err := openTest(b)
	if err != nil {
		b.Fatal(err)
	}
	s, err = New(b.Context(), st, Options{Seed: 1, VotesPerMinute: -1, Log: silent()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close(); st.Close() })
	made, err := s.Create(b.Context(), NewBoard{Items: lines(n)})
	if err != nil {
		b.Fatal(err)
	}
	if l, err = s.board(b.Context(), made.Board.ID); err != nil {
		b.Fatal(err)
	}
	if voter, err = s.named(b.Context(), l, "ann"); err != nil {
		b.Fatal(err)
	}
	for k := range 2 * n {
		v := palate.Vote{Left: k % n, Right: (k*7 + 1 + k/n) % n, Weight: 1, Outcome: palate.Outcome(k % 2)}
		if v.Left != v.Right {
			if err := l.model.Observe(v); err != nil {
				b.Fatal(err)
			}
		}
	}
	return s, l, voter
}

// BenchmarkFold folds one vote into the posterior, and reads it.
func BenchmarkFold(b *testing.B) {
	for _, n := range []int{100, 200, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, l, _ := busy(b, n)
			k := 0
			for b.Loop() {
				k++
				if err := l.model.Observe(palate.Vote{Left: k % n, Right: (k + 1 + k/n%(n-2)) % n, Weight: 1}); err != nil {
					b.Fatal(err)
				}
				l.model.Utility(-1, 0)
			}
		})
	}
}

// BenchmarkAsk chooses the next pair.
func BenchmarkAsk(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, l, voter := busy(b, n)
			for b.Loop() {
				if _, err := s.Ask(b.Context(), l.id, voter); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkMany is what a board of ten thousand items takes: choosing a pair, refitting,
// and making a leaderboard between fits and of one.
func BenchmarkMany(b *testing.B) {
	const n, votes = MaxItems, 5 * MaxItems
	s, l, voter := busy(b, n)
	rng := s.rng()
	b.Run("choose", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.choose(b.Context(), l, voter, nil, rng); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("between", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.leaderboard(l, View{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	for k := range votes {
		i := rng.IntN(n)
		l.take(store.Vote{Seq: int64(k + 1), Voter: voter, Left: i, Right: (i + 1 + rng.IntN(n-1)) % n, Time: now()}, false)
	}
	b.Run("refit", func(b *testing.B) {
		for b.Loop() {
			if err := s.refitBoard(l); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("fitted", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.leaderboard(l, View{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkTell stores and folds in a vote, one after the other: mostly the disk.
func BenchmarkTell(b *testing.B) {
	s, l, voter := busy(b, 100)
	k := 0
	for b.Loop() {
		k++
		a := Answer{Left: fmt.Sprintf("i%d", k%100), Right: fmt.Sprintf("i%d", (k+1)%100), Key: fmt.Sprint(k)}
		if _, err := s.Tell(b.Context(), l.id, voter, a); err != nil {
			b.Fatal(err)
		}
	}
}
