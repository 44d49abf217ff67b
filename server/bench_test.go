package server

import (
	"fmt"
	"testing"

	"palate"
	"palate/store"
	"palate/tune"
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
			if _, _, _, err := s.choose(b.Context(), l, voter, nil, rng); err != nil {
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

// BenchmarkAskPoints asks a question on a board of a space, the answer to the last one folded
// in: of six parameters, after so many duels.
func BenchmarkAskPoints(b *testing.B) {
	for _, n := range []int{50, 100, 200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			st, err := openTest(b)
			if err != nil {
				b.Fatal(err)
			}
			s, err := New(b.Context(), st, Options{Seed: 1, VotesPerMinute: -1, Log: silent(), Duty: 0.01})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { s.Close(); st.Close() })
			made, err := s.Create(b.Context(), NewBoard{Space: &store.Space{Text: "a=0..1\nb=0..1\nc=0..1\nd=0..1\ne=0..1\nf=0..1"}})
			if err != nil {
				b.Fatal(err)
			}
			l, err := s.board(b.Context(), made.Board.ID)
			if err != nil {
				b.Fatal(err)
			}
			answer := func(voter string) {
				b.StopTimer()
				v, err := s.named(b.Context(), l, voter)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				q, err := s.Ask(b.Context(), l.id, v)
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if _, err := s.Tell(b.Context(), l.id, v, Answer{Question: q.Token, Outcome: palate.Outcome(len(q.Token) % 2)}); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
			space := l.space
			rng := s.rng()
			points := make([]tune.Point, n+1)
			for k := range points {
				points[k] = space.Sample(rng)
			}
			numbers, err := s.pointNumbers(b.Context(), l, points)
			if err != nil {
				b.Fatal(err)
			}
			ann, err := s.named(b.Context(), l, "ann")
			if err != nil {
				b.Fatal(err)
			}
			for k := range n {
				left := l.items[numbers[k]]
				right := l.items[numbers[k+1]]
				o := palate.Left
				if right.Features[0]+right.Features[1] > left.Features[0]+left.Features[1] {
					o = palate.Right
				}
				if _, err := s.Tell(b.Context(), l.id, ann, Answer{Left: left.ID, Right: right.ID, Key: fmt.Sprint(k), Outcome: o}); err != nil {
					b.Fatal(err)
				}
			}
			if err := s.refitBoard(l); err != nil {
				b.Fatal(err)
			}
			k := 0
			for b.Loop() {
				k++
				answer(fmt.Sprint("voter ", k))
			}
		})
	}
}
