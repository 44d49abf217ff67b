package model

import (
	"math"
	"testing"

	"palate/likelihood"
)

// The chances of a probit in closed form are those that its likelihoods give.
func TestChancesInClosedForm(t *testing.T) {
	for _, v := range []voting{{}, {threshold: 0.3}, {threshold: 1.2}} {
		for _, h := range []likelihood.Habit{plain, {Margin: 2, Lapse: 0.25}} {
			if v.threshold == 0 {
				h.Lapse = 0 // without ties nobody calls one
			}
			for _, m := range []float64{-12, -1, 0, 0.4, 5} {
				for _, variance := range []float64{0, 0.3, 20} {
					win, lose := v.chancesOf(h, m, variance)
					first, _ := v.as(h, 0)
					for k, got := range []float64{win, lose} {
						want := math.Exp(likelihood.Tilt(first, m-2*m*float64(k), variance).LogZ)
						if math.Abs(got-want) > 1e-13 {
							t.Errorf("ties %g, %+v, %g ± %g: %g, want %g", v.threshold, h, m, math.Sqrt(variance), got, want)
						}
					}
				}
			}
		}
	}
}
