package draw

import (
	"math"
	"testing"
)

// Factors are round, within bounds, as few as asked for, and as far apart by their logarithms as there
// is room for.
func TestFactors(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{{0.2, 3}, {0.01, 40}, {0.9, 1.2}, {1e-6, 1e6}, {3, 4}} {
		for n := 1; n < 12; n++ {
			ticks := Factors(c.lo, c.hi, n)
			if len(ticks) > n {
				t.Errorf("%v to %v: %d ticks for %d", c.lo, c.hi, len(ticks), n)
			}
			for k, x := range ticks {
				if x.Value < c.lo*(1-1e-9) || x.Value > c.hi*(1+1e-9) || k > 0 && x.Value <= ticks[k-1].Value {
					t.Errorf("%v to %v: %v", c.lo, c.hi, ticks)
				}
				if m := math.Pow(10, math.Mod(math.Log10(x.Value)+20, 1)); math.Abs(m-math.Round(m)) > 1e-9 {
					t.Errorf("%v is not round", x.Value)
				}
			}
		}
	}
	if got := Factors(0.2, 3, 6); len(got) != 4 || got[0].Text != "0.2" || got[2].Text != "1" {
		t.Errorf("0.2 to 3: %v", got)
	}
	if Factors(0, 1, 3) != nil {
		t.Error("zero has no logarithm")
	}
}

// There are two ticks at least where two were asked for, and not many more than asked for.
func TestTwoTicks(t *testing.T) {
	for n := 2; n < 12; n++ {
		for k := range 4000 {
			lo := -3 + float64(k%63)/10
			hi := lo + math.Pow(10, -2+4*float64(k)/4000)
			if got := len(Ticks(lo, hi, n)); got < 2 || got > n+3 {
				t.Fatalf("%v to %v: %d ticks for %d", lo, hi, got, n)
			}
		}
	}
}
