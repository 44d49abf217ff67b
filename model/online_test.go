package model

import (
	"bytes"
	"math"
	"testing"

	"palate"
)

// TestOnlineContinues: a fit that goes on online, told of some votes and made to
// forget others, ends where a fit of what is left ends.
func TestOnlineContinues(t *testing.T) {
	for name, o := range map[string]SimulateOptions{
		"plain": {Items: 12, Votes: 150, Seed: 3}, "ties": {Items: 10, Votes: 200, Ties: 0.3, Seed: 4},
	} {
		t.Run(name, func(t *testing.T) {
			d, _, err := Simulate(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			n := d.NumVotes()
			var first, late, kept []int
			for k := range n {
				if k < 2*n/3 {
					first = append(first, k)
				} else {
					late = append(late, k)
				}
				if k%7 != 0 {
					kept = append(kept, k)
				}
			}
			start := fit(t, d.Select(first), nil)
			var file bytes.Buffer
			if err := start.Save(t.Context(), &file); err != nil {
				t.Fatal(err)
			}
			loaded, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
			if err != nil {
				t.Fatal(err)
			}
			want := fit(t, d.Select(kept), &Options{Scale: start.Fit().Scale, Threshold: start.Fit().Threshold, Tolerance: 1e-10})
			for from, s := range map[string]*Single{"fit": start, "file": loaded.(*Single)} {
				m, err := s.Online()
				if err != nil {
					t.Fatal(err)
				}
				for i := range d.NumItems() {
					a, va := m.Utility(-1, i)
					b, vb := s.Utility(-1, i)
					if math.Abs(a-b) > 1e-9 || math.Abs(va-vb) > 1e-9 {
						t.Fatalf("%s: item %d starts at %g ± %g, the fit has %g ± %g", from, i, a, va, b, vb)
					}
				}
				for _, k := range late {
					if err := m.Observe(d.Vote(k)); err != nil {
						t.Fatal(err)
					}
				}
				for k := 0; k < n; k += 7 {
					if err := m.Forget(d.Vote(k)); err != nil {
						t.Fatal(err)
					}
				}
				m.Revisit(t.Context(), 1e-10, 200)
				for i := range d.NumItems() {
					a, va := m.Utility(-1, i)
					b, vb := want.Utility(-1, i)
					if math.Abs(a-b) > 1e-6 || math.Abs(va-vb) > 1e-6 {
						t.Errorf("%s: item %d at %g ± %g, a fit has %g ± %g", from, i, a, va, b, vb)
					}
					if m.Votes()[i] != want.Votes()[i] {
						t.Errorf("%s: item %d has %g votes, want %g", from, i, m.Votes()[i], want.Votes()[i])
					}
				}
				if err := m.Forget(palate.Vote{Left: 0, Right: 1, Weight: 1000}); err == nil {
					t.Error("forgot votes that there were not")
				}
			}
		})
	}
}
