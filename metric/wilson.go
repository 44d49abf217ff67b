package metric

import "math"

// Wilson returns the interval of a probability after an event came about in some of n trials (Wilson 1927): where the
// score test at this level would not reject it. Without trials it is all of [0, 1].
func Wilson(events, n, level float64) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	z := math.Sqrt2 * math.Erfinv(level)
	p := events / n
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(centre-half, 0), min(centre+half, 1)
}

// Interval returns the interval of what should be observed in the bin, by Wilson; its weight counts as trials.
func (b Bin) Interval(level float64) (lo, hi float64) {
	return Wilson(b.Observed*b.Weight, b.Weight, level)
}
