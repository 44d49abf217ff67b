package rating

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Scale is what ratings may be: ordered classes, or numbers.
type Scale struct {
	// Values are those of the classes, ascending in what is better: what was given, or where a
	// class stands for several the mean of what was given in it. Of numbers there are none.
	Values []float64 `json:"values,omitempty"`
	// Edges are the bounds between classes, one fewer.
	Edges []float64 `json:"edges,omitempty"`
	// Grouped classes stand for several values.
	Grouped bool `json:"grouped,omitempty"`
	// Numbers have a centre and a unit, by which they are taken.
	Centre float64 `json:"centre,omitempty"`
	Unit   float64 `json:"unit,omitempty"`
	// Reversed scales have low ratings for what is good.
	Reversed bool `json:"reversed,omitempty"`
}

// mostClasses is the number of classes up to which every value is one.
const mostClasses = 12

// NewScale makes classes of the values that were given: each is one, up to so many classes
// (0 stands for mostClasses), else about as many ratings are in each.
func NewScale(values []float64, classes int, reversed bool) (*Scale, error) {
	classes = cmp.Or(classes, mostClasses)
	s := &Scale{Reversed: reversed}
	x := s.turned(values)
	if classes < 2 || len(x) == 0 {
		return nil, fmt.Errorf("rating: %d classes of %d ratings", classes, len(x))
	}
	slices.Sort(x)
	distinct := slices.Compact(slices.Clone(x))
	if len(distinct) < 2 {
		return nil, fmt.Errorf("rating: all %d ratings are %v: there is nothing to learn", len(x), values[0])
	}
	if len(distinct) <= classes {
		for k := range distinct[1:] {
			s.Edges = append(s.Edges, (distinct[k]+distinct[k+1])/2)
		}
	} else {
		s.Grouped = true
		for k := 1; k < classes; k++ {
			at := x[len(x)*k/classes]
			below, _ := slices.BinarySearch(distinct, at)
			if below == 0 {
				continue
			}
			edge := (distinct[below-1] + at) / 2
			if n := len(s.Edges); n == 0 || edge > s.Edges[n-1] {
				s.Edges = append(s.Edges, edge)
			}
		}
	}
	s.Values = make([]float64, len(s.Edges)+1)
	count := make([]float64, len(s.Values))
	for _, y := range x {
		k, _ := slices.BinarySearch(s.Edges, y)
		s.Values[k] += y
		count[k]++
	}
	for k, n := range count {
		s.Values[k] = s.sign() * s.Values[k] / n
	}
	return s, nil
}

// NewNumbers takes ratings for numbers with Gaussian noise.
func NewNumbers(values []float64, reversed bool) (*Scale, error) {
	s := &Scale{Reversed: reversed}
	n := float64(len(values))
	for _, y := range values {
		s.Centre += y / n
	}
	for _, y := range values {
		s.Unit += (y - s.Centre) * (y - s.Centre) / n
	}
	if s.Unit = math.Sqrt(s.Unit); !(s.Unit > 0) || math.IsInf(s.Unit, 1) {
		return nil, fmt.Errorf("rating: %d ratings with a deviation of %v: there is nothing to learn", len(values), s.Unit)
	}
	return s, nil
}

// Check says what is wrong with a scale, which may come from anywhere.
func (s *Scale) Check() error {
	if s.Numbers() {
		if !(s.Unit > 0) || math.IsInf(s.Unit, 1) || math.IsNaN(s.Centre) || math.IsInf(s.Centre, 0) {
			return fmt.Errorf("rating: numbers around %v with a unit of %v", s.Centre, s.Unit)
		}
		return nil
	}
	if len(s.Values) != len(s.Edges)+1 || !slices.IsSorted(s.Edges) || slices.ContainsFunc(slices.Concat(s.Values, s.Edges), math.IsNaN) {
		return fmt.Errorf("rating: classes of values %v with bounds %v", s.Values, s.Edges)
	}
	return nil
}

// Numbers reports whether ratings are numbers.
func (s *Scale) Numbers() bool { return len(s.Values) == 0 }

func (s *Scale) sign() float64 {
	if s.Reversed {
		return -1
	}
	return 1
}

func (s *Scale) turned(values []float64) []float64 {
	out := make([]float64, len(values))
	for k, y := range values {
		out[k] = s.sign() * y
	}
	return out
}

// Class returns the class of a rating, from 0, the worst.
func (s *Scale) Class(y float64) int {
	k, _ := slices.BinarySearch(s.Edges, s.sign()*y)
	return k
}

// number returns a rating in units, the larger the better.
func (s *Scale) number(y float64) float64 { return s.sign() * (y - s.Centre) / s.Unit }
