package metric

import "math"

// CrossEntropy returns the mean of −y·ln p − (1−y)·ln(1−p), in nats. It is infinite when something came about
// that was given no chance.
func CrossEntropy(p, y, w []float64) float64 {
	return mean(p, y, w, func(p, y float64) float64 {
		var h float64 // 0·ln 0 = 0
		if y > 0 {
			h -= y * math.Log(p)
		}
		if y < 1 {
			h -= (1 - y) * math.Log1p(-p)
		}
		return h
	})
}

// CrossEntropyBits returns CrossEntropy in bits.
func CrossEntropyBits(p, y, w []float64) float64 { return CrossEntropy(p, y, w) / math.Ln2 }
