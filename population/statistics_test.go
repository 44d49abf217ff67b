package population

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// statistics of groups, each inferred by an engine of its own on any number of
// goroutines and sent as bytes, add up to those of one engine that went through the
// groups, to the last bit; and to those of all at once, rounding apart.
func TestStatisticsOfShards(t *testing.T) {
	const items, persons = 9, 20
	prior, _ := example(t, 6, items, 1, 1, false)
	rng := rand.New(rand.NewPCG(7, 7))
	prior.F = 2
	prior.G, prior.Features = make([]float64, items*prior.F), nil
	for i := range prior.G {
		prior.G[i] = rng.NormFloat64()
	}
	people := mustPeople(t, items, draw(rng, persons, items, 12, false), drawAnswers(rng, persons, items, 3, false)...)
	x := make([]float64, people.Len()*prior.F)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	settings := Settings{Tolerance: 1e-12, MaxSweeps: 2000}
	// of returns the statistics of persons lo … hi.
	of := func(lo, hi, workers int) *Statistics {
		var who []int
		for u := lo; u < hi; u++ {
			who = append(who, u)
		}
		group, err := people.Listed(who)
		if err != nil {
			t.Fatal(err)
		}
		p, s := *prior, settings
		p.Features, s.Workers = x[lo*p.F:hi*p.F], workers
		got, stats, err := mustEngine(t, group, s).statistics(context.Background(), &p)
		if err != nil || stats.Unconverged > 0 {
			t.Fatal(err, stats)
		}
		return got
	}
	cuts := []int{0, 3, 4, 11, people.Len()}
	here, sent := NewStatistics(Query{Prior: prior}), NewStatistics(Query{Prior: prior})
	for k := range len(cuts) - 1 {
		if err := here.Add(of(cuts[k], cuts[k+1], 1)); err != nil {
			t.Fatal(err)
		}
		b, err := of(cuts[k], cuts[k+1], 3).MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var shard Statistics
		if err := shard.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if err := sent.Add(&shard); err != nil {
			t.Fatal(err)
		}
		for _, bad := range [][]byte{nil, b[:len(b)-8], b[1:], append(b, 0, 0, 0, 0, 0, 0, 0, 0)} {
			if err := new(Statistics).UnmarshalBinary(bad); err == nil {
				t.Errorf("%d bytes in place of %d are read", len(bad), len(b))
			}
		}
	}
	if !reflect.DeepEqual(here, sent) {
		t.Errorf("sent as bytes the shards sum to %+v, here to %+v", sent, here)
	}
	whole := of(0, people.Len(), 2)
	if whole.Persons != sent.Persons || whole.Persons != people.Len() {
		t.Errorf("%d persons, in shards %d", whole.Persons, sent.Persons)
	}
	near := func(what string, got, want float64) {
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("%s is %.12g in shards, %.12g at once", what, got, want)
		}
	}
	for k, x := range whole.numbers() {
		near("a sum", *sent.numbers()[k], *x)
	}
	for k, x := range whole.lists() {
		for i, v := range *x {
			near("an entry", (*sent.lists()[k])[i], v)
		}
	}
	other := *prior
	other.D, other.A = 2, make([]float64, 2*items)
	if err := sent.Add(NewStatistics(Query{Prior: &other})); err == nil {
		t.Error("statistics of another rank are added")
	}
}
