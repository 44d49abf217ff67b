package palate

import (
	"math"
	"testing"
)

// Properties go along with the votes that are picked, tell votes apart that say the same,
// and are part of the digest.
func TestProperties(t *testing.T) {
	b := NewBuilder()
	for range 4 {
		if err := b.Say("", "a", "b", Left); err != nil {
			t.Fatal(err)
		}
	}
	bare, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	d := bare.WithProperties([]Property{
		{Name: "length", Left: []float64{4, 3, 2, 1}, Right: []float64{1, 1, 1, nan}},
		{Name: "language", Levels: []string{"de", "en"}, Left: []float64{0, 1, nan, 1}},
	})
	if bare.Properties() != nil || len(d.Properties()) != 2 || d.Properties()[0].OfVote() || !d.Properties()[1].OfVote() {
		t.Fatalf("%v", d.Properties())
	}
	p := d.Select([]int{3, 1}).Properties()
	if p[0].Left[0] != 1 || p[0].Left[1] != 3 || !math.IsNaN(p[0].Right[0]) || p[1].Left[1] != 1 || p[1].Right != nil {
		t.Errorf("picked %v", p)
	}
	if order := d.ByContent(); order[0] != 3 || order[3] != 0 {
		t.Errorf("order %v", order)
	}
	if again := d.WithProperties(d.Properties()); again.Digest() != d.Digest() || bare.Digest() == d.Digest() || d.WithProperties(nil).Digest() != bare.Digest() {
		t.Errorf("digests %s and %s, without %s", d.Digest(), again.Digest(), bare.Digest())
	}
	for name, bad := range map[string][]Property{
		"no name":     {{Left: make([]float64, 4)}},
		"twice":       {{Name: "x", Left: make([]float64, 4)}, {Name: "x", Left: make([]float64, 4)}},
		"too few":     {{Name: "x", Left: make([]float64, 3)}},
		"no level":    {{Name: "x", Levels: []string{"a"}, Left: []float64{0, 0, 0, 1}}},
		"no number":   {{Name: "x", Left: []float64{0, 0, 0, math.Inf(1)}}},
		"right short": {{Name: "x", Left: make([]float64, 4), Right: make([]float64, 1)}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: taken", name)
				}
			}()
			bare.WithProperties(bad)
		}()
	}
}
