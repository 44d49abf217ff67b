package drift

import (
	"math"
	"testing"
)

// Two steps over half of a time are one over all of it, however short it is, and jumps of two
// halves those of all.
func TestStepsCompose(t *testing.T) {
	near := func(what string, time, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s over %g: %g, not %g", what, time, got, want)
		}
	}
	for name, p := range processes() {
		for _, time := range []float64{1e-6, 1e-3, 0.5, 20} {
			half, all := p.after(time/2), p.after(time)
			var b belief
			b.step(&half)
			b.step(&half)
			near(name+", the part", time, b.gg, all.q)
			near(name+", part and pace", time, b.gh, all.r)
			near(name+", the pace", time, b.hh, all.s)
		}
	}
	p := Process{Length: 3, Move: 1, Jumps: true}
	for _, time := range []float64{1e-6, 1e-3, 0.5, 20} {
		half, all := p.hops(time/2), p.hops(time)
		var both [mostHops]float64
		for i, x := range half {
			for j, y := range half {
				both[min(i+j, mostHops-1)] += x * y
			}
		}
		for n, x := range all {
			near("jumps", time, both[n], x)
		}
	}
}
