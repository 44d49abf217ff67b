package tune

import (
	"context"
	"fmt"
	"math"
)

// Space is what may be tried. It is made by ReadSpace or NewSpace, and is not changed.
type Space struct {
	Parameters  []Parameter
	Constraints []Constraint
	Forbidden   []Combination
	// Start is what is in use now, if anything; it is the left of the first question.
	Start Point

	moving   []int // parameters that are a continuum
	discrete []int // parameters with several values that are none
	first    []int // of each parameter, its first feature; −1 where it has none
	features int
	equal    [][]float64 // orthonormal normals of the equalities, over moving, in unit coordinates
	target   []float64   // what the coordinate along each of them is
	home     Point       // some point of the space
	centres  []centre    // where utility is expected to be highest
}

// Point has one number for each parameter: its value, or the place of its word.
type Point []float64

// Combination is a set of values that do not go together: of every parameter named the
// number or word, or a range.
type Combination []Range

// Range is what a combination says of one parameter: any value from From to To.
type Range struct {
	Parameter int
	From, To  float64
}

// holds reports whether the point is of the combination.
func (c Combination) holds(x Point) bool {
	for _, r := range c {
		if x[r.Parameter] < r.From || x[r.Parameter] > r.To {
			return false
		}
	}
	return true
}

// NewSpace makes ready a space of the given parameters, constraints and combinations, and
// finds out whether there is a point in it. When ctx ends before it is done it returns the error
// of ctx.
func NewSpace(ctx context.Context, parameters []Parameter, constraints []Constraint, forbidden []Combination) (*Space, error) {
	s := &Space{Parameters: parameters, Constraints: constraints, Forbidden: forbidden}
	s.first = make([]int, len(parameters))
	for j := range parameters {
		p := &parameters[j]
		s.first[j] = -1
		if p.Kind == Fixed || p.levels() == 1 {
			continue
		}
		s.first[j] = s.features
		s.features++
		switch p.Kind {
		case Continuous:
			s.moving = append(s.moving, j)
		case Categorical:
			s.features += len(p.Words) - 1
			s.discrete = append(s.discrete, j)
		default:
			s.discrete = append(s.discrete, j)
		}
	}
	if s.features == 0 {
		return nil, fmt.Errorf("tune: there is nothing to vary: every parameter has one value")
	}
	if err := s.orthogonalise(); err != nil {
		return nil, err
	}
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	if err := s.settleCentre(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Varying returns the parameters that have more than one value.
func (s *Space) Varying() (list []int) {
	for j, f := range s.first {
		if f >= 0 {
			list = append(list, j)
		}
	}
	return list
}

// spans returns the features of a parameter, as a range.
func (s *Space) spans(j int) (from, to int) {
	if s.Parameters[j].Kind == Categorical {
		return s.first[j], s.first[j] + len(s.Parameters[j].Words)
	}
	return s.first[j], s.first[j] + 1
}

// Features returns the point as a kernel sees it. Numbers are at their place in the unit
// interval, and so are words in order; a categorical parameter has a feature a word, such
// that any two words are at distance one.
func (s *Space) Features(x Point) []float64 {
	f := make([]float64, s.features)
	s.featuresTo(f, x)
	return f
}

func (s *Space) featuresTo(f []float64, x Point) {
	clear(f)
	for j, at := range s.first {
		p := &s.Parameters[j]
		switch {
		case at < 0:
		case p.Kind == Categorical:
			f[at+int(x[j])] = math.Sqrt2 / 2
		case p.Kind == Ordered:
			f[at] = x[j] / float64(len(p.Words)-1)
		default:
			f[at] = p.unit(x[j])
		}
	}
}

// tolerance is how far given points may be past a constraint, in units of the constraint:
// they are read from decimal numbers.
const tolerance = 1e-9

// Check says why a point is outside the space, or nothing.
func (s *Space) Check(x Point) error {
	for j := range s.Parameters {
		p := &s.Parameters[j]
		switch v := x[j]; {
		case p.Numeric() && (v < p.From || v > p.To):
			return fmt.Errorf("%s is %v, outside %v to %v", p.Name, v, p.From, p.To)
		case !p.Numeric() && !(v >= 0 && v < float64(len(p.Words))):
			return fmt.Errorf("%s has no word %v", p.Name, v)
		}
	}
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if gap := c.excess(x); gap > tolerance*c.size(s) || c.Equal && gap < -tolerance*c.size(s) {
			return fmt.Errorf("%s does not hold: it is off by %.3g", c.Text, gap)
		}
	}
	for _, c := range s.Forbidden {
		if c.holds(x) {
			return fmt.Errorf("%s is forbidden", s.describe(c))
		}
	}
	return nil
}

// feasible reports whether a proposal may be made: inequalities hold without tolerance.
// Bounds and equalities are held by how proposals move.
func (s *Space) feasible(x Point) bool {
	for i := range s.Constraints {
		if c := &s.Constraints[i]; !c.Equal && c.excess(x) > 0 {
			return false
		}
	}
	for _, c := range s.Forbidden {
		if c.holds(x) {
			return false
		}
	}
	return true
}

// describe writes a combination as its file does.
func (s *Space) describe(c Combination) (text string) {
	for i, r := range c {
		p := &s.Parameters[r.Parameter]
		if i > 0 {
			text += " with "
		}
		text += p.Name + " " + p.Format(r.From, 0)
		if r.To != r.From {
			text += " to " + p.Format(r.To, 0)
		}
	}
	return text
}

// Nearest returns the point within the bounds whose features are nearest to the given ones:
// the inverse of Features where they are of a point.
func (s *Space) Nearest(f []float64) Point {
	x := s.least()
	for _, j := range s.Varying() {
		p := &s.Parameters[j]
		from, to := s.spans(j)
		if p.Kind == Continuous {
			x[j] = p.at(f[from])
			continue
		}
		near, least := 0.0, math.Inf(1)
		for k := range p.levels() {
			x[j] = p.level(k)
			if d := distance(s.Features(x)[from:to], f[from:to]); d < least {
				near, least = x[j], d
			}
		}
		x[j] = near
	}
	return x
}
