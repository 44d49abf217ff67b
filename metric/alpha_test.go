package metric

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

func TestAlphaByHand(t *testing.T) {
	// Two judges on four units: 0 0, 1 1, 0 1, 1 1. Coincidences: 00 2, 11 4, 01 1, 10 1; sums 3 and 5 of 8.
	units := [][]float64{{0, 0}, {1, 1}, {0, 1}, {1, 1}, {0}}
	want := 1 - 7*1./(3*5)
	for _, s := range []Scale{Nominal, Ordinal, Interval} { // of two values all are the same distance apart
		if got := Alpha(units, s); !near(got, want) {
			t.Errorf("scale %d: α = %v, want %v", s, got, want)
		}
	}
	for _, units := range [][][]float64{nil, {{1}, {2}}, {{1, 1}, {1, 1}}} {
		if got := Alpha(units, Nominal); !math.IsNaN(got) {
			t.Errorf("α of %v: %v", units, got)
		}
	}
}

func TestAlphaLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	random, agreed := make([][]float64, 3000), make([][]float64, 300)
	for k := range random {
		for range 1 + rng.IntN(4) {
			random[k] = append(random[k], float64(rng.IntN(3)))
		}
	}
	for k := range agreed {
		agreed[k] = slices.Repeat([]float64{float64(rng.IntN(3))}, 1+rng.IntN(4))
	}
	for _, s := range []Scale{Nominal, Ordinal, Interval} {
		a := Alpha(random, s)
		if math.Abs(a) > 0.05 {
			t.Errorf("scale %d: α of random answers %v", s, a)
		}
		if got := Alpha(agreed, s); got != 1 {
			t.Errorf("scale %d: α where all agree %v", s, got)
		}
		stretched, shuffled := make([][]float64, len(random)), make([][]float64, len(random))
		for k, i := range rng.Perm(len(random)) {
			for _, x := range random[k] {
				stretched[k] = append(stretched[k], 3*x-5)
			}
			shuffled[i] = slices.Clone(random[k])
			slices.Reverse(shuffled[i])
		}
		if got := Alpha(stretched, s); !near(got, a) {
			t.Errorf("scale %d: another unit of measure: α %v, was %v", s, got, a)
		}
		if got := Alpha(shuffled, s); math.Abs(got-a) > 1e-9 {
			t.Errorf("scale %d: another order: α %v, was %v", s, got, a)
		}
	}
}

func TestWilson(t *testing.T) {
	// The ends are where the score test just does not reject: (p − x)² = z²·x(1−x)/n.
	z := math.Sqrt2 * math.Erfinv(0.95)
	for _, c := range [][2]float64{{0, 5}, {5, 5}, {3, 10}, {70, 100}, {1.5, 4}} {
		lo, hi := Wilson(c[0], c[1], 0.95)
		for _, x := range []float64{lo, hi} {
			p := c[0] / c[1]
			if math.Abs((p-x)*(p-x)-z*z*x*(1-x)/c[1]) > 1e-12 {
				t.Errorf("%g of %g: %v is no end", c[0], c[1], x)
			}
		}
		if !(lo <= c[0]/c[1] && c[0]/c[1] <= hi) {
			t.Errorf("%g of %g: [%v, %v]", c[0], c[1], lo, hi)
		}
	}
	if lo, hi := Wilson(0, 0, 0.95); lo != 0 || hi != 1 {
		t.Errorf("without trials [%v, %v]", lo, hi)
	}
	b := Bin{Weight: 10, Observed: 0.3}
	lo, hi := b.Interval(0.95)
	if l, h := Wilson(3, 10, 0.95); lo != l || hi != h {
		t.Errorf("of a bin [%v, %v]", lo, hi)
	}
}

// TestOthers compares with what public packages say; testdata/README.md names them.
func TestOthers(t *testing.T) {
	raw, err := os.ReadFile("testdata/agreement.json")
	if err != nil {
		t.Fatal(err)
	}
	var others struct {
		Alpha []struct {
			Units                      [][]float64
			Nominal, Ordinal, Interval float64
		}
		Tau []struct {
			X, Y []float64
			TauB float64 `json:"tau_b"`
		}
	}
	if err := json.Unmarshal(raw, &others); err != nil {
		t.Fatal(err)
	}
	if len(others.Alpha) == 0 || len(others.Tau) == 0 {
		t.Fatal("nothing to compare with")
	}
	for k, c := range others.Alpha {
		for s, want := range map[Scale]float64{Nominal: c.Nominal, Ordinal: c.Ordinal, Interval: c.Interval} {
			if got := Alpha(c.Units, s); !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("case %d, scale %d: α = %v, want %v", k, s, got, want)
			}
		}
	}
	for k, c := range others.Tau {
		if got := KendallTauB(c.X, c.Y); !(math.Abs(got-c.TauB) <= 1e-9) {
			t.Errorf("case %d: τ-b = %v, want %v", k, got, c.TauB)
		}
	}
}
