package population

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
)

// shards are people dealt out, each group a shard of its own.
type shards struct {
	t     *testing.T
	all   []*Shard
	order *rand.Rand // in which they are added up
}

// deal deals people to n shards, with votes held out.
func deal(t *testing.T, people *People, heldOut []palate.Tally, n int) *shards {
	s := &shards{t: t, order: rand.New(rand.NewPCG(1, uint64(n)))}
	for k := range n {
		var who []int
		for u := k; u < people.Len(); u += n {
			who = append(who, u)
		}
		part, err := people.Listed(who)
		if err != nil {
			t.Fatal(err)
		}
		shard, err := NewShard(part, heldOut, Settings{Workers: 1 + k%3})
		if err != nil {
			t.Fatal(err)
		}
		s.all = append(s.all, shard)
	}
	return s
}

// Evaluate asks the shards, adds up what they tell in several ways, whole and in pieces.
func (s *shards) Evaluate(ctx context.Context, q Query) (*Statistics, error) {
	told := make([][]byte, len(s.all))
	for k, shard := range s.all {
		x, err := shard.Evaluate(ctx, q)
		if err != nil {
			return nil, err
		}
		if told[k], err = x.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	var first *Statistics
	for _, size := range []int{1 << 20, 1 << 20, 1, 7, 40} {
		pieces := make([][]*Statistics, len(told)) // of each shard
		for k, b := range told {
			x := &Statistics{}
			if err := x.UnmarshalBinary(b); err != nil {
				return nil, err
			}
			pieces[k] = x.pieces(size)
		}
		var totals []*Statistics
		for n := range pieces[0] {
			total, err := s.sum(pieces, n)
			if err != nil {
				return nil, err
			}
			totals = append(totals, total)
		}
		total := Joined(totals)
		if first == nil {
			first = total
		}
		one, err := first.MarshalBinary()
		if err != nil {
			return nil, err
		}
		if other, err := total.MarshalBinary(); err != nil || !bytes.Equal(one, other) {
			s.t.Errorf("%d shards in another order, in pieces of %d, sum to %+v, not %+v: %v", len(told), size, total, first, err)
		}
	}
	return first, nil
}

// sum adds piece n of all shards up in groups, sends these as bytes, and adds them up in turn.
func (s *shards) sum(pieces [][]*Statistics, n int) (*Statistics, error) {
	groups := make([]Sum, 1+s.order.IntN(4))
	for _, k := range s.order.Perm(len(pieces)) {
		if err := groups[s.order.IntN(len(groups))].Add(k, pieces[k][n]); err != nil {
			return nil, err
		}
	}
	var all Sum
	for _, k := range s.order.Perm(len(groups)) {
		err := groups[k].Pieces(1<<30, func(_, _ int, one *Sum) error {
			b, err := one.MarshalBinary()
			if err != nil {
				return err
			}
			var sent Sum
			if err := sent.UnmarshalBinary(b); err != nil {
				return err
			}
			return all.Merge(&sent)
		})
		if err != nil {
			return nil, err
		}
	}
	return all.Total(len(pieces))
}

// People dealt to shards are learnt as people of one machine are, rounding apart, whatever is
// known of them; and what shards tell adds up to the same bits in any order and grouping.
func TestShards(t *testing.T) {
	const items = 12
	for _, ties := range []bool{false, true} {
		for _, dense := range []int{0, 5} { // the whole of ΣW, and its diagonal
			t.Run(fmt.Sprintf("ties %v, dense %d", ties, dense), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(17, 2))
				kept, said, heldOut := HoldOut(draw(rng, 40, items, 15, ties), drawAnswers(rng, 40, items, 2, ties), 0.1, 3)
				people := mustPeople(t, items, kept, said...)
				it := NewItems(items, nil, nil, nil)
				o := &Options{Rank: 3, HeldOut: heldOut, DenseItems: dense}
				var here, there []float64
				o.Progress = func(p Progress) { here = append(here, p.Evidence, p.HeldOut) }
				want, _, err := Learn(context.Background(), people, it, nil, 0, o)
				if err != nil {
					t.Fatal(err)
				}
				o.Progress = func(p Progress) { there = append(there, p.Evidence, p.HeldOut) }
				got, err := LearnFrom(context.Background(), deal(t, people, heldOut, 7), it, ties, o)
				if err != nil {
					t.Fatal(err)
				}
				near := func(what string, got, want []float64, tolerance float64) {
					t.Helper()
					if len(got) != len(want) {
						t.Fatalf("%s: %d, on one machine %d", what, len(got), len(want))
					}
					for i, x := range want {
						if d := got[i] - x; d > tolerance*(1+max(x, -x)) || -d > tolerance*(1+max(x, -x)) || d != d {
							t.Errorf("%s %d is %.12g, on one machine %.12g", what, i, got[i], x)
						}
					}
				}
				near("evidence and loss", there, here, 1e-9)
				near("mean", got.T, want.T, 1e-6)
				near("factor", got.A, want.A, 1e-6)
				near("parameter", []float64{got.Scale, got.Spread, got.Threshold, got.HeldOut}, []float64{want.Scale, want.Spread, want.Threshold, want.HeldOut}, 1e-6)
			})
		}
	}
}

// Shards that are missing or there twice, and bytes that are no sum, are errors.
func TestSumRefuses(t *testing.T) {
	of := func(shards ...int) *Sum {
		s := &Sum{}
		for _, k := range shards {
			if err := s.Add(k, &Statistics{Persons: 1}); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	for _, s := range [][]int{{}, {1}, {0, 1, 3}, {0, 1, 2}, {0, 1, 2, 3, 4}} {
		if _, err := of(s...).Total(4); err == nil {
			t.Errorf("shards %v are taken for 4", s)
		}
	}
	if total, err := of(4, 1, 3, 0, 2).Total(5); err != nil || total.Persons != 5 {
		t.Error(total, err)
	}
	for held, s := range map[int][]int{1: {2, 3}, 2: {1, 2}, 3: {4, 1, 3, 0, 2, 6}} { // pairs and fours from an even place are one
		if got := of(s...).Held(); got != held {
			t.Errorf("of shards %v %d statistics are held, not %d", s, got, held)
		}
	}
	for _, k := range []int{0, 2, 3, 5} {
		if err := of(0, 2, 3, 5).Add(k, &Statistics{}); err == nil {
			t.Errorf("shard %d is added twice", k)
		}
		if err := of(0, 2, 3, 5).Merge(of(k)); err == nil {
			t.Errorf("shard %d is merged twice", k)
		}
	}
	b, err := of(0, 1, 4).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	twice := slices.Concat(b, b)
	for _, bad := range [][]byte{b[:8], b[:len(b)-8], b[8:], twice, append(bytes.Clone(b[:8]), make([]byte, len(b))...)} {
		if err := new(Sum).UnmarshalBinary(bad); err == nil {
			t.Errorf("%d bytes in place of %d are read", len(bad), len(b))
		}
	}
}

// failing is an evaluator that cannot be reached.
type failing struct{ err error }

func (f failing) Evaluate(context.Context, Query) (*Statistics, error) { return nil, f.err }

// What goes wrong elsewhere ends the fit: only a population that makes no sense is a step too far.
func TestLearnFromFails(t *testing.T) {
	lost := errors.New("nobody answers")
	if _, err := LearnFrom(context.Background(), failing{lost}, NewItems(5, nil, nil, nil), false, nil); !errors.Is(err, lost) {
		t.Error(err)
	}
	if _, err := LearnFrom(context.Background(), failing{ErrIndefinite}, NewItems(5, nil, nil, nil), false, nil); err == nil {
		t.Error("a population that makes no sense from the start is learnt")
	}
}
