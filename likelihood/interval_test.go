package likelihood

import (
	"math"
	"testing"
)

func TestSlopesOfIntervalsAreFiniteDifferences(t *testing.T) {
	const h = 1e-5
	for _, l := range []Interval{{0.7, -0.3, 0.9}, {0.7, math.Inf(-1), 0.2}, {0.7, 0.4, math.Inf(1)}, {1, 1, 1.05}} {
		at := func(l Interval, m, v float64) float64 { return l.Tilt(m, v).LogZ }
		for _, m := range []float64{-3, -0.2, 0, 0.8, 2.5} {
			for _, v := range []float64{0.01, 0.5, 3} {
				lo, hi, noise := l.Slopes(m, v, at(l, m, v))
				up, down := l, l
				up.Lo, down.Lo = l.Lo+h, l.Lo-h
				if !math.IsInf(l.Lo, -1) {
					near(t, "lo", lo, (at(up, m, v)-at(down, m, v))/(2*h), 1e-6)
				}
				up, down = l, l
				up.Hi, down.Hi = l.Hi+h, l.Hi-h
				if !math.IsInf(l.Hi, 1) {
					near(t, "hi", hi, (at(up, m, v)-at(down, m, v))/(2*h), 1e-6)
				}
				up, down = l, l
				up.Noise, down.Noise = l.Noise*math.Exp(h), l.Noise*math.Exp(-h)
				near(t, "noise", noise, (at(up, m, v)-at(down, m, v))/(2*h), 1e-6)
			}
		}
	}
}

// Of a rating some class is sure.
func TestIntervalsSumToOne(t *testing.T) {
	cuts := []float64{math.Inf(-1), -1, -0.2, 0.1, 1.4, math.Inf(1)}
	for _, m := range []float64{-2, 0, 0.7} {
		var sum float64
		for k := range cuts[1:] {
			sum += math.Exp(Interval{Noise: 0.7, Lo: cuts[k], Hi: cuts[k+1]}.Tilt(m, 0.6).LogZ)
		}
		near(t, "sum", sum, 1, 1e-12)
	}
}
