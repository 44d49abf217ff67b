package num

import (
	"math"
	"testing"
)

func TestLogPhiToIsLogPhi(t *testing.T) {
	var z []float64
	for x := -40.0; x < 40; x += 0.37 {
		z = append(z, x)
	}
	got := make([]float64, len(z))
	LogPhiTo(got, z)
	for i, x := range z {
		if want := LogPhi(x); math.Abs(got[i]-want) > 1e-13*math.Abs(want) {
			t.Errorf("log Φ(%g) = %g, want %g", x, got[i], want)
		}
	}
}
