package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"palate"
	"palate/kernel"
)

// reordered returns the same votes in another order, items and users numbered as they
// first appear in it or by name, with the settings that go with them.
func reordered(t *testing.T, d *palate.Dataset, s *Settings, sorted bool, rng *rand.Rand) (*palate.Dataset, *Settings) {
	t.Helper()
	b := palate.NewBuilder()
	for _, k := range rng.Perm(d.NumVotes()) {
		v := d.Vote(k)
		v.Left, v.Right = b.Item(d.ItemID(v.Left)), b.Item(d.ItemID(v.Right))
		if v.User >= 0 {
			v.User = b.User(d.UserID(v.User))
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	if sorted {
		b.SortNames()
	}
	moved := func(f *palate.Features, from func(k int) int) *palate.Features {
		if f == nil {
			return nil
		}
		out := *f
		out.Data = nil
		for k := range f.Rows {
			out.Data = append(out.Data, f.Row(from(k))...)
		}
		return &out
	}
	if d.ItemFeatures() != nil {
		b.SetItemFeatures(moved(d.ItemFeatures(), func(k int) int { i, _ := d.Item(b.ItemID(k)); return i }))
	}
	if d.UserFeatures() != nil {
		b.SetUserFeatures(moved(d.UserFeatures(), func(k int) int { u, _ := d.User(b.UserID(k)); return u }))
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	set := *s
	if s.Links != nil {
		at := func(i int) int { j, _ := out.Item(d.ItemID(i)); return j }
		var edges []kernel.Edge
		for _, from := range [][2]int{{0, 1}, {2, 3}} { // as brief has them
			edges = append(edges, kernel.Edge{From: at(from[0]), To: at(from[1]), Weight: 1})
		}
		if set.Links, err = kernel.NewGraph(out.NumItems(), edges); err != nil {
			t.Fatal(err)
		}
	}
	return out, &set
}

// Whatever the order of rows, a fit is the same to the last bit where items and voters
// are numbered by name, and about the same where they are numbered as they come: that of
// a population starts from numbers drawn for every item. Kinds that take votes one after
// the other go by their times.
func TestOrderOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	noon := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)
	timed := func(k int, v *palate.Vote) { v.Time = noon.Add(time.Duration(k) * time.Minute) }
	wide := func(d *palate.Dataset) *palate.Features { // more of them than items, as text has
		f := &palate.Features{Rows: d.NumItems(), Cols: 9}
		for i := range 9 {
			f.Names = append(f.Names, fmt.Sprint("x", i))
		}
		for range f.Rows * f.Cols {
			f.Data = append(f.Data, rng.NormFloat64())
		}
		f.Blocks = []int{4, 5}
		return f
	}
	for _, e := range Catalogue() {
		for _, features := range []bool{false, true} {
			if features && !e.Reads.Has(ItemFeatures) || !features && e.Needs.Has(ItemFeatures) {
				continue
			}
			var change func(int, *palate.Vote)
			switch {
			case e.Reads.Has(Times):
				change = timed
			case e.Reads.Has(Weights):
				change = func(k int, v *palate.Vote) { v.Weight = 0.1 * float64(1+k*k%7) }
			}
			d, s := brief(t, e, change)
			if features {
				d = withFeatures(t, d, wide(d))
			}
			m, err := e.Fit(t.Context(), d, s)
			if err != nil {
				t.Fatalf("%s: %v", e.Name, err)
			}
			for _, sorted := range []bool{true, false} {
				limit := 0.0
				if !sorted {
					limit = 1e-9
					if e.Name == "population" || e.Name == "average" { // of which one is a part
						limit = 1e-3
					}
				}
				other, set := reordered(t, d, s, sorted, rng)
				o, err := e.Fit(t.Context(), other, set)
				if err != nil {
					t.Fatalf("%s: %v", e.Name, err)
				}
				if worst := apart(m, o); worst > limit {
					t.Errorf("%s, features %v, names sorted %v: other by %g", e.Name, features, sorted, worst)
				}
			}
		}
	}
}

// withFeatures returns the votes with other features of items.
func withFeatures(t *testing.T, d *palate.Dataset, f *palate.Features) *palate.Dataset {
	t.Helper()
	b := palate.NewBuilder()
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
	}
	for u := range d.NumUsers() {
		b.User(d.UserID(u))
	}
	for _, v := range d.Votes() {
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	b.SetItemFeatures(f)
	out := built(t, b)
	return out
}

// apart returns the largest difference between what two models of the same items and
// users say, by name.
func apart(m, o Model) (worst float64) {
	item := func(i int) int { j, _ := o.Item(m.ItemID(i)); return j }
	for u := -1; u < m.NumUsers(); u++ {
		v := -1
		if u >= 0 {
			v, _ = o.User(m.UserID(u))
		}
		for i := range m.NumItems() {
			for j := range i {
				worst = max(worst, math.Abs(m.Prefer(u, i, j)-o.Prefer(v, item(i), item(j))))
			}
		}
	}
	return worst
}
