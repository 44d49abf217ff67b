package compare

import (
	"cmp"
	"math"
	"slices"
)

// summary is what draws of a number say.
type summary struct {
	mean, sd, lo, hi float64
	positive         float64 // probability that it is above 0; of 0 itself half
}

// summarise describes draws with weights that sum to one, by an interval at a level that
// leaves equal shares out at both ends and holds the mean.
func summarise(x, weight []float64, level float64) (s summary) {
	order := make([]int, len(x))
	for k, w := range weight {
		order[k] = k
		s.mean += w * x[k]
		switch {
		case x[k] > 0:
			s.positive += w
		case x[k] == 0:
			s.positive += w / 2
		}
	}
	for k, w := range weight {
		s.sd += w * (x[k] - s.mean) * (x[k] - s.mean)
	}
	s.sd = math.Sqrt(s.sd)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	at := func(p float64) float64 {
		var sum float64
		for _, k := range order {
			if sum += weight[k]; sum >= p {
				return x[k]
			}
		}
		return x[order[len(order)-1]]
	}
	s.lo, s.hi = min(at((1-level)/2), s.mean), max(at((1+level)/2), s.mean)
	s.positive = min(s.positive, 1)
	return s
}
