package crowd

import "math"

// typicalThreshold is where the search for the margin of ties starts; its log
// stays within thresholdRange of that.
const (
	typicalThreshold = 0.3
	thresholdRange   = 4
)

// updateThreshold moves the margin below which voters call a tie uphill: a
// Newton step on its logarithm, by differences, taken where it does not lower
// what is expected of the votes.
func (l *Learnt) updateThreshold() {
	const h = 1e-3
	at := func(logT float64) float64 {
		l.setThreshold(math.Exp(logT))
		return l.evaluate()
	}
	x := math.Log(l.Threshold)
	here, up, down := at(x), at(x+h), at(x-h)
	slope, bend := (up-down)/(2*h), (up-2*here+down)/(h*h)
	step := math.Copysign(0.5, slope)
	if bend < 0 && math.Abs(slope/bend) < 0.5 {
		step = -slope / bend
	}
	for range 10 {
		y := x + step
		if math.Abs(y-math.Log(typicalThreshold)) < thresholdRange && at(y) >= here {
			l.Threshold = math.Exp(y)
			return
		}
		step /= 4
	}
	at(x)
}
