package kernel

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// MedianRule says how the median distance of a feature becomes its length-scale;
// D is the number of features that are not the same for all points.
type MedianRule uint8

const (
	// MedianDefault is the median of the non-zero distances, times √D for Euclidean
	// and SoftAnd, where distances add up over features, and as it is for SoftOr.
	MedianDefault MedianRule = iota
	// MedianTimesD is D times the median of all distances, CROWD (37).
	MedianTimesD
	// MedianOverD is the median of all distances divided by D, as DRAFT has it.
	MedianOverD
	// MedianReference is the median of the non-zero distances, times √D above 200
	// features, as the papers' released code has it.
	MedianReference
)

// MedianOptions are the settings of MedianHeuristic. The zero value is the default
// rule for Euclidean.
type MedianOptions struct {
	Rule    MedianRule
	Combine Combination // read by MedianDefault
	Rows    int         // points compared with one another, drawn at random beyond; 0: 2000
}

// referenceWide is the number of features above which MedianReference takes √D.
const referenceWide = 200

// MedianHeuristic returns a length-scale for every feature of x from the median
// of |x_id − x_jd|. Medians over the chosen points are exact. Where the median of
// all distances is zero, because most values are equal, the non-zero ones stand
// in. A feature that is the same for all points tells nothing: it gets the
// length-scale Endless, and the others are as they would be without it. rng is
// used only when x has more than o.Rows points.
func MedianHeuristic(x Points, o MedianOptions, rng *rand.Rand) []float64 {
	if x.d == 0 || x.n == 0 {
		panic(fmt.Sprintf("kernel: median heuristic on %d points with %d features", x.n, x.d))
	}
	o.Rows = cmp.Or(o.Rows, 2000)
	if x.n > o.Rows {
		x = x.Subset(sample(x.n, o.Rows, rng))
	}
	zeros := o.Rule == MedianTimesD || o.Rule == MedianOverD
	out := make([]float64, x.d)
	columns := newColumns(x)
	eachBlock(x.d, x.n*x.d*32, noBuffers, func(_ struct{}, _, lo, hi int) {
		for f := lo; f < hi; f++ {
			out[f] = columns.spread(f).median(zeros)
		}
	})
	d := float64(varying(out))
	factor := 1.0
	switch o.Rule {
	case MedianDefault:
		if o.Combine != SoftOr {
			factor = math.Sqrt(d)
		}
	case MedianTimesD:
		factor = d
	case MedianOverD:
		factor = 1 / d
	case MedianReference:
		if d > referenceWide {
			factor = math.Sqrt(d)
		}
	default:
		panic(fmt.Sprintf("kernel: no median rule %d", o.Rule))
	}
	for f := range out {
		if out[f] < endless {
			out[f] *= factor
		}
	}
	return out
}

// sample draws k of n indices without replacement, in ascending order.
func sample(n, k int, rng *rand.Rand) []int {
	idx := rng.Perm(n)[:k]
	slices.Sort(idx)
	return idx
}

// columns lists the values of each feature; sparse ones without their zeros.
type columns struct {
	x      Points
	sparse [][]float64
}

func newColumns(x Points) columns {
	c := columns{x: x}
	if x.csr != nil {
		c.sparse = make([][]float64, x.d)
		for k, d := range x.csr.index {
			c.sparse[d] = append(c.sparse[d], x.csr.data[k])
		}
	}
	return c
}

// spread is the distinct values of a feature in ascending order, with below[k]
// points under value k and below[len(value)] points in all.
type spread struct {
	value []float64
	below []int
}

func (c columns) spread(d int) spread {
	var v []float64
	if c.sparse != nil {
		v = c.sparse[d]
	} else {
		v = make([]float64, c.x.n)
		for i := range v {
			v[i] = c.x.row(i)[d]
		}
	}
	slices.Sort(v)
	var s spread
	add := func(value float64, count int) {
		if count == 0 {
			return
		}
		if n := len(s.value); n == 0 || s.value[n-1] != value {
			s.value = append(s.value, value)
			s.below = append(s.below, 0)
		}
		s.below[len(s.below)-1] += count
	}
	missing := c.x.n - len(v) // the zeros
	for _, value := range v {
		if value > 0 {
			add(0, missing)
			missing = 0
		}
		add(value, 1)
	}
	add(0, missing)
	total := 0
	for k, n := range s.below {
		s.below[k] = total
		total += n
	}
	s.below = append(s.below, total)
	return s
}

// within returns how many ordered pairs of points lie at most t apart, each point
// with itself among them.
func (s spread) within(t float64) (n int) {
	lo, hi := 0, 0
	for k, v := range s.value {
		for v-s.value[lo] > t {
			lo++
		}
		for hi < len(s.value) && s.value[hi]-v <= t {
			hi++
		}
		n += (s.below[k+1] - s.below[k]) * (s.below[hi] - s.below[lo])
	}
	return n
}

// median returns the median distance over all ordered pairs, or over those that
// differ, without listing them.
func (s spread) median(zeros bool) float64 {
	last := len(s.value) - 1
	if last < 1 {
		return Endless
	}
	all := s.below[last+1] * s.below[last+1]
	equal := s.within(0)
	skip := 0
	if !zeros {
		skip = equal
	}
	count := all - skip
	m := s.distance(skip + (count+1)/2)
	if next := skip + count/2 + 1; s.within(m) < next {
		m += (s.distance(next) - m) / 2
	}
	if m == 0 {
		return s.median(false)
	}
	return m
}

// distance returns the rank-th smallest distance, by bisection over the ordered
// bit patterns of positive floats.
func (s spread) distance(rank int) float64 {
	lo, hi := uint64(0), math.Float64bits(s.value[len(s.value)-1]-s.value[0])
	for lo < hi {
		mid := lo + (hi-lo)/2
		if s.within(math.Float64frombits(mid)) >= rank {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return math.Float64frombits(lo)
}
