package metric

import (
	"fmt"
	"math"
)

// Bins is the usual number of bins of a reliability curve.
const Bins = 15

// Bin is one point of a reliability curve.
type Bin struct {
	Lo, Hi    float64 // predictions in [Lo, Hi), the last bin with its end
	Weight    float64 // of the votes in it
	Predicted float64 // mean prediction, NaN when empty
	Observed  float64 // mean outcome, NaN when empty
}

// Reliability sorts predictions into bins of equal width and compares them with what came about.
func Reliability(p, y, w []float64, bins int) []Bin {
	check(p, y, w)
	if bins < 1 {
		panic(fmt.Sprintf("metric: %d bins", bins))
	}
	curve := make([]Bin, bins)
	for k := range p {
		weight := 1.0
		if w != nil {
			weight = w[k]
		}
		b := &curve[min(int(p[k]*float64(bins)), bins-1)]
		b.Weight += weight
		b.Predicted += weight * p[k]
		b.Observed += weight * y[k]
	}
	for k := range curve {
		b := &curve[k]
		b.Lo, b.Hi = float64(k)/float64(bins), float64(k+1)/float64(bins)
		b.Predicted /= b.Weight
		b.Observed /= b.Weight
	}
	return curve
}

// ECE returns the expected calibration error of a reliability curve: the mean distance between what was
// predicted and what was observed, each bin by its weight.
func ECE(curve []Bin) float64 {
	var sum, total float64
	for _, b := range curve {
		if b.Weight > 0 {
			sum += b.Weight * math.Abs(b.Predicted-b.Observed)
			total += b.Weight
		}
	}
	return sum / total
}
