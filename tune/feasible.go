package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"palate/internal/num"
)

// How hard a point of the space is looked for.
const (
	tries = 1000   // points drawn within the bounds
	most  = 20_000 // combinations of values that are no continuum
)

// settle finds a point of the space, or says why there is none. When ctx ends before it is done
// it returns the error of ctx.
func (s *Space) settle(ctx context.Context) error {
	rng := rand.New(rand.NewPCG(0, 0))
	if len(s.equal) == 0 {
		for range tries {
			if x := s.within(rng); s.feasible(x) {
				s.home = x
				return ctx.Err()
			}
		}
	}
	if _, err := s.inner(ctx, nil, s.Constraints); err != nil {
		return s.conflict(ctx)
	}
	found := s.walk(ctx, s.within(rng), rng)
	if err := ctx.Err(); err != nil || found {
		return err
	}
	if s.combinations() > most {
		return fmt.Errorf("tune: the space is empty: no combination of values that constraints and forbidden combinations leave was found among %d", most)
	}
	return fmt.Errorf("tune: the space is empty: constraints and forbidden combinations leave nothing")
}

// combinations counts those of the values that are no continuum.
func (s *Space) combinations() float64 {
	total := 1.0
	for _, j := range s.discrete {
		total *= float64(s.Parameters[j].levels())
	}
	return total
}

// walk goes through the values of the discrete parameters, each against the continuous
// ones that are left to it, for as many combinations as are looked at. With more of them it
// draws.
func (s *Space) walk(ctx context.Context, x Point, rng *rand.Rand) bool {
	total := s.combinations()
	for k := 0; k < int(min(total, most)) && ctx.Err() == nil; k++ {
		rest := k
		for _, j := range s.discrete {
			p := &s.Parameters[j]
			n := p.levels()
			if total > most {
				x[j] = p.level(rng.IntN(n))
			} else {
				x[j] = p.level(rest % n)
				rest /= n
			}
		}
		centre, err := s.inner(ctx, x, s.Constraints)
		if err == nil && s.feasible(centre) {
			s.home = centre
			return true
		}
	}
	return false
}

// inner returns the centre of the largest ball within the bounds and linear constraints, in
// units of the bounds. Discrete parameters are as they are in x; with nil they may be
// anything between their bounds.
func (s *Space) inner(ctx context.Context, x Point, constraints []Constraint) (Point, error) {
	var free []int
	at := s.least()
	for j := range s.Parameters {
		switch p := &s.Parameters[j]; {
		case p.Kind == Continuous && s.first[j] >= 0, x == nil && p.Kind == Stepped && s.first[j] >= 0:
			free = append(free, j)
		case x != nil:
			at[j] = x[j]
		}
	}
	n := len(free)
	if n == 0 {
		for i := range constraints {
			if c := &constraints[i]; c.excess(at) > 0 || c.Equal && c.excess(at) != 0 {
				return nil, errInfeasible
			}
		}
		return at, nil
	}
	// Columns: a place in [0, 1] for each free parameter, then the radius.
	var ball programme
	for i := range constraints {
		c := &constraints[i]
		row := make([]float64, n+1)
		for k, j := range free {
			row[k] = c.Coefficient[j] * (s.Parameters[j].To - s.Parameters[j].From)
		}
		length := norm(row)
		limit := -c.excess(at)
		if length == 0 {
			if limit < 0 || c.Equal && limit != 0 {
				return nil, errInfeasible
			}
			continue
		}
		scale(row, 1/length)
		if !c.Equal {
			row[n] = 1
		}
		ball.add(row, limit/length, c.Equal)
	}
	for k := range n {
		above, below := make([]float64, n+1), make([]float64, n+1)
		above[k], above[n] = 1, 1
		below[k], below[n] = -1, 1
		ball.add(above, 1, false)
		ball.add(below, 0, false)
	}
	best, err := ball.maximise(ctx)
	if err != nil {
		return nil, err
	}
	for k, j := range free {
		p := &s.Parameters[j]
		at[j] = min(max(p.From+best[k]*(p.To-p.From), p.From), p.To)
	}
	u := s.units(at)
	s.level(u)
	s.place(at, u)
	return at, nil
}

// conflict says which constraint leaves nothing, given those before it.
func (s *Space) conflict(ctx context.Context) error {
	i := sort.Search(len(s.Constraints), func(i int) bool {
		_, err := s.inner(ctx, nil, s.Constraints[:i+1])
		return err != nil
	})
	switch err := ctx.Err(); {
	case err != nil:
		return err
	case i == len(s.Constraints):
		return fmt.Errorf("tune: the space is empty")
	}
	why := "within the bounds of the parameters"
	if i > 0 {
		why += " and with the constraints before it"
	}
	return fmt.Errorf("tune: the space is empty: %q cannot hold %s", s.Constraints[i].Text, why)
}

// within draws a point within the bounds.
func (s *Space) within(rng *rand.Rand) Point {
	x := s.least()
	for _, j := range s.moving {
		x[j] = s.Parameters[j].at(rng.Float64())
	}
	for _, j := range s.discrete {
		x[j] = s.Parameters[j].level(rng.IntN(s.Parameters[j].levels()))
	}
	return x
}

// Sample draws a point of the space. Within the bounds it is uniform where the space is not
// too small a part of them; else it comes of a walk, which ends anywhere in what hangs
// together.
func (s *Space) Sample(rng *rand.Rand) Point {
	if len(s.equal) == 0 {
		for range 50 {
			if x := s.within(rng); s.feasible(x) {
				return x
			}
		}
	}
	x := append(Point(nil), s.home...)
	u := s.units(x)
	for range 20 + 4*(len(s.moving)+len(s.discrete)) {
		s.wander(x, u, rng)
	}
	return x
}

// wander takes a step at random from x, whose continuous parameters are at u in unit coordinates,
// to another point of the space: along a line, and to another value of one of the discrete
// parameters.
func (s *Space) wander(x Point, u []float64, rng *rand.Rand) {
	s.stride(x, u, rng)
	if len(s.discrete) == 0 {
		return
	}
	j := s.discrete[rng.IntN(len(s.discrete))]
	old := x[j]
	x[j] = s.Parameters[j].level(rng.IntN(s.Parameters[j].levels()))
	if !s.feasible(x) {
		x[j] = old
	}
}

// stride moves the continuous parameters of x, at u in unit coordinates, along a line drawn
// at random to somewhere on it within the space.
func (s *Space) stride(x Point, u []float64, rng *rand.Rand) {
	if len(u) == 0 {
		return
	}
	d := make([]float64, len(u))
	for k := range d {
		d[k] = rng.NormFloat64()
	}
	without(d, s.equal)
	lo, hi := math.Inf(-1), math.Inf(1)
	for k, v := range d {
		if math.Abs(v) < 1e-12 {
			continue
		}
		a, b := -u[k]/v, (1-u[k])/v
		lo, hi = max(lo, min(a, b)), min(hi, max(a, b))
	}
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return
	}
	lo, hi = min(lo, 0), max(hi, 0)
	to, y := make([]float64, len(u)), append(Point(nil), x...)
	for range 60 { // the bracket shrinks towards where it is, which is in the space
		t := lo + (hi-lo)*rng.Float64()
		for k := range to {
			to[k] = u[k] + t*d[k]
		}
		s.level(to)
		s.place(y, to)
		if inUnit(to) && s.feasible(y) {
			copy(u, to)
			copy(x, y)
			return
		}
		if t < 0 {
			lo = t
		} else {
			hi = t
		}
	}
}

// inUnit reports whether coordinates are in the unit interval, but for rounding.
func inUnit(u []float64) bool {
	for _, v := range u {
		if v < -1e-12 || v > 1+1e-12 {
			return false
		}
	}
	return true
}

// units returns the places of the continuous parameters in the unit interval.
func (s *Space) units(x Point) []float64 {
	u := make([]float64, len(s.moving))
	for k, j := range s.moving {
		u[k] = s.Parameters[j].unit(x[j])
	}
	return u
}

// level moves coordinates by the little that equalities are off.
func (s *Space) level(u []float64) {
	for m, b := range s.equal {
		off := s.target[m] - num.Dot(u, b)
		for k := range u {
			u[k] += off * b[k]
		}
	}
}

// place puts coordinates into a point.
func (s *Space) place(x Point, u []float64) {
	for k, j := range s.moving {
		x[j] = s.Parameters[j].at(u[k])
	}
}
