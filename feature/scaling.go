package feature

import (
	"math"

	"palate"
)

// Scaling says which features are brought to mean 0 and standard deviation 1.
type Scaling uint8

const (
	ScaleNumbers Scaling = iota // those that come from numbers; 0 and 1 stay 0 and 1
	ScaleAll
	ScaleNone
)

// scale sets mean and standard deviation from unscaled features.
func (e *Encoder) scale(f *palate.Features, s Scaling) {
	k := 0
	for _, c := range e.Columns {
		from := k
		for range c.Width() {
			// Text is scaled by itself.
			if s == ScaleAll && c.Kind != Text || s == ScaleNumbers && (c.Kind == Number || c.Kind == Date || c.Kind == Vector) {
				e.Mean[k], e.SD[k] = moments(f, k)
			}
			k++
		}
		if c.Kind == Vector && s != ScaleNone { // one scale for all, lest angles change
			sd := spread(f, from, k, e.Mean)
			for j := from; j < k; j++ {
				e.SD[j] = sd
			}
		}
	}
}

// spread returns the root of the mean variance of those features from..to that are not the same for all rows, 1 when none are.
func spread(f *palate.Features, from, to int, mean []float64) float64 {
	largest, varying := 0.0, 0
	for j := from; j < to; j++ {
		same := true
		for i := range f.Rows {
			same = same && f.At(i, j) == f.At(0, j)
		}
		if same {
			continue
		}
		varying++
		for i := range f.Rows {
			largest = max(largest, math.Abs(f.At(i, j)-mean[j]))
		}
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return 1
	}
	ss := 0.0
	for i := range f.Rows {
		for j := from; j < to; j++ {
			d := (f.At(i, j) - mean[j]) / largest
			ss += d * d
		}
	}
	if sd := math.Sqrt(ss/float64(f.Rows*varying)) * largest; sd > 0 {
		return sd
	}
	return 1
}

// moments returns mean and standard deviation of a feature, the latter 1 for a constant.
func moments(f *palate.Features, j int) (mean, sd float64) {
	n := float64(f.Rows)
	largest := 0.0
	for i := range f.Rows {
		largest = max(largest, math.Abs(f.At(i, j)))
	}
	if largest == 0 {
		return 0, 1
	}
	for i := range f.Rows { // relative to the largest, so that squares do not overflow
		mean += f.At(i, j) / largest / n
	}
	var ss float64
	for i := range f.Rows {
		d := f.At(i, j)/largest - mean
		ss += d * d
	}
	sd = math.Sqrt(ss/n) * largest
	if !(sd > 1e-12*largest) { // the spread is that of rounding
		return mean * largest, 1
	}
	return mean * largest, sd
}
