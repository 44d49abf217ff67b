package metric

import (
	"cmp"
	"math"
	"slices"
)

// Scale says how far apart two answers are, for Krippendorff's α.
type Scale int

const (
	Nominal  Scale = iota // the same or not
	Ordinal               // by how many answers lie between them
	Interval              // by the square of their difference
)

// Alpha returns Krippendorff's α: one less the ratio of the disagreement there is to the disagreement that chance would
// make. Each unit lists the answers given to it, by one person each; units with fewer than two say nothing. It is 1
// when all agree, about 0 when answers are random, and NaN when no unit has two answers, or all answers are the same.
func Alpha(units [][]float64, s Scale) float64 {
	var values []float64
	for _, u := range units {
		if len(u) > 1 {
			values = append(values, u...)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	k := len(values)
	if k < 2 {
		return math.NaN()
	}
	// o holds how often two answers to one unit coincide, n their sums (Krippendorff 2011).
	o, n, at := make([]float64, k*k), make([]float64, k), make([]float64, k)
	var total float64
	for _, u := range units {
		if len(u) < 2 {
			continue
		}
		clear(at)
		for _, x := range u {
			i, _ := slices.BinarySearchFunc(values, x, cmp.Compare[float64])
			at[i]++
		}
		for a, x := range at {
			for b, y := range at {
				if a == b {
					y--
				}
				o[a*k+b] += x * y / float64(len(u)-1)
			}
			n[a] += x
			total += x
		}
	}
	var seen, chance float64
	for a := range k {
		for b := range a {
			d := s.distance(values, n, b, a)
			seen += o[a*k+b] * d
			chance += n[a] * n[b] * d
		}
	}
	return 1 - (total-1)*seen/chance
}

// distance is that of values a < b, which came about n times.
func (s Scale) distance(values, n []float64, a, b int) float64 {
	switch s {
	case Ordinal:
		d := -(n[a] + n[b]) / 2
		for _, x := range n[a : b+1] {
			d += x
		}
		return d * d
	case Interval:
		d := values[b] - values[a]
		return d * d
	}
	return 1
}
