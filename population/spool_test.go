package population

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"time"

	"palate"
	"palate/likelihood"
)

// spooled draws votes of all sorts and returns them in a dataset and in a spool
// with the votes of a few persons at a time, renumbered unless they are plain.
func spooled(t *testing.T, seed uint64, persons, items, votes int, plain bool) (*palate.Dataset, *Spool) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("votes on disk are for Linux")
	}
	dir := t.TempDir()
	s, err := NewSpool(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	s.chunk = 64
	rng := rand.New(rand.NewPCG(seed, 1))
	b := palate.NewBuilder()
	for i := range items {
		b.Item(string(rune('a' + (i+3)%items)))
	}
	for u := range persons {
		b.User(string(rune('A' + (u+3)%persons)))
	}
	for range votes {
		v := palate.Vote{User: rng.IntN(persons), Left: rng.IntN(items), Weight: 1, Outcome: palate.Outcome(rng.IntN(2))}
		v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
		if !plain {
			v.User = rng.IntN(persons+1) - 1
			v.Outcome = palate.Outcome(rng.IntN(4))
			v.Weight = []float64{1, 1, 2, 0.5, 0.3}[rng.IntN(5)]
			v.Unsided = rng.IntN(4) == 0
			if rng.IntN(3) == 0 {
				v.Time = time.UnixMicro(int64(rng.IntN(1e6))).UTC()
			}
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
		if err := s.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	if !plain {
		s.Renumber(b.SortNames())
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files with names: %v, %v", left, err)
	}
	return d, s
}

// Votes on disk are the same people, and teach the same to the last bit.
func TestSpool(t *testing.T) {
	for _, plain := range []bool{true, false} {
		d, s := spooled(t, 3, 15, 10, 700, plain)
		want := mustPeople(t, 10, d.Tallies(true))
		got, err := s.People(10, false, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.disk == nil {
			t.Fatal("in memory")
		}
		users := make([]int32, d.NumVotes())
		for k, v := range d.Votes() {
			users[k] = int32(v.User)
		}
		sided, err := s.People(10, true, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct{ on, in *People }{{got, want}, {sided, mustPeople(t, 10, d.TalliesApart(palate.Apart{Group: users, Sides: true}))}} {
			bare := *c.on
			bare.disk = nil
			if !reflect.DeepEqual(&bare, c.in) {
				t.Errorf("plain %v: %+v\non disk, in memory\n%+v", plain, bare, *c.in)
			}
		}
		if d.DigestOf(s.Votes()) != d.Digest() || s.Err() != nil {
			t.Errorf("other votes come back, %v", s.Err())
		}
		o := &Options{Rank: 3, MaxSteps: 8}
		rng := rand.New(rand.NewPCG(4, 4))
		it := NewItems(10, features(rng, 10, 3), nil, rng)
		a, ea, err := Learn(context.Background(), want, it, nil, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		b, eb, err := Learn(context.Background(), got, it, nil, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		if a.Objective != b.Objective || !slices.Equal(a.T, b.T) || !slices.Equal(a.A, b.A) || !slices.Equal(ea.Tau, eb.Tau) || !slices.Equal(ea.Nu, eb.Nu) {
			t.Errorf("plain %v: objective %v in memory, %v on disk", plain, a.Objective, b.Objective)
		}
		in, on := Memory(want, true, false, o, 0), Memory(got, true, false, o, 0)
		if on.Disk == 0 || in.Disk != 0 || on.Total() > in.Total() {
			t.Errorf("takes %+v in memory, %+v on disk", in, on)
		}
	}
}

func TestSpoolFails(t *testing.T) {
	if _, err := NewSpool("/nowhere"); err == nil {
		t.Error("no error without the folder")
	}
	_, s := spooled(t, 3, 4, 5, 30, true)
	s.file.Close()
	if _, err := s.People(5, false, nil, nil); err == nil {
		t.Error("no error when the disk fails")
	}
}

// Votes that are held out are a share of everybody's but the last; nobody
// learns from them, and their loss is that of the posterior without them.
func TestHoldOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	all := draw(rng, 30, 12, 40, true)
	all = append([]palate.Tally{{User: -1, A: 1, B: 2, Weight: 1}}, all...)
	kept, _, heldOut := HoldOut(all, nil, 0.25, 7)
	if n := float64(len(heldOut)) / float64(len(all)); n < 0.15 || n > 0.35 || len(kept)+len(heldOut) != len(all) || kept[0].User != -1 {
		t.Errorf("%d of %d held out, %d kept", len(heldOut), len(all), len(kept))
	}
	left := map[int]int{}
	for _, x := range kept {
		left[x.User]++
	}
	if len(left) != 31 {
		t.Errorf("votes of %d of 31 persons are left", len(left))
	}
	if _, _, every := HoldOut(all, nil, 1-1e-9, 7); len(every) != len(all)-31 {
		t.Errorf("%d held out at most", len(every))
	}
	people := mustPeople(t, 12, kept)
	it := NewItems(12, nil, nil, nil)
	var last Progress
	l, e, err := Learn(context.Background(), people, it, nil, 0, &Options{Rank: 2, MaxSteps: 6, HeldOut: heldOut, Progress: func(p Progress) { last = p }})
	if err != nil {
		t.Fatal(err)
	}
	without, _, err := Learn(context.Background(), people, it, nil, 0, &Options{Rank: 2, MaxSteps: 6})
	if err != nil || without.Objective != l.Objective {
		t.Errorf("watching changes the objective from %v to %v, %v", without.Objective, l.Objective, err)
	}
	var loss, weight float64
	for u := range people.Len() {
		q, err := e.Posterior(l, u)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range heldOut {
			if x.User == people.Owner(u) {
				m, v := q.Difference(x.A, x.B)
				loss -= x.Weight * likelihood.Tilt(Voting(l.Threshold)(Observation{Tie: x.Tie, Power: 1}), m, v).LogZ
				weight += x.Weight
			}
		}
	}
	if math.Abs(l.HeldOut-loss/weight) > 1e-9 || math.Abs(last.HeldOut-l.HeldOut) > 0.05 || !(last.Evidence < 0) {
		t.Errorf("held-out loss %v, under way %v, want %v", l.HeldOut, last.HeldOut, loss/weight)
	}
}
