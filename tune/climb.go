package tune

import (
	"math"
	"slices"

	"palate/internal/num"
)

// climber moves points of a space uphill.
type climber struct {
	space *Space
	of    objective
	steps int // of gradients, at most
}

// spot is some points and where their continuous parameters are in the unit interval.
type spot struct {
	points []Point
	units  [][]float64
	value  float64
	slopes [][]float64 // of the value in the unit coordinates
}

func (c *climber) at(points []Point) *spot {
	p := &spot{}
	for _, x := range points {
		p.points = append(p.points, slices.Clone(x))
		p.units = append(p.units, c.space.units(x))
	}
	c.measure(p)
	return p
}

func (c *climber) features(points []Point) [][]float64 {
	f := make([][]float64, len(points))
	for i, x := range points {
		f[i] = c.space.Features(x)
	}
	return f
}

// climb returns where points end that go uphill, by continuous parameters along gradients and
// by the others from value to value.
func (c *climber) climb(points []Point) *spot {
	p := c.at(points)
	c.ascend(p)
	if len(c.space.discrete) > 0 {
		for range 3 {
			if !c.swap(p) {
				break
			}
			c.ascend(p)
		}
	}
	return p
}

// ascend follows gradients, with the steps of Barzilai and Borwein, along the constraints that
// hold it back, until it gains little.
func (c *climber) ascend(p *spot) {
	if len(c.space.moving) == 0 {
		return
	}
	step, last := 0.0, [2][]float64{}
	for range c.steps {
		var way [][]float64
		var flat, flatUnits []float64
		for i, g := range p.slopes {
			way = append(way, c.space.tangent(p.points[i], p.units[i], g))
			flat, flatUnits = append(flat, g...), append(flatUnits, p.units[i]...)
		}
		slope, longest := 0.0, 0.0
		for i := range way {
			slope += num.Dot(way[i], way[i])
			for _, v := range way[i] {
				longest = max(longest, math.Abs(v))
			}
		}
		if longest < 1e-9 {
			return
		}
		if step == 0 {
			step = 0.1 / longest
		} else {
			var ss, sy float64
			for k := range flat {
				s := flatUnits[k] - last[0][k]
				ss += s * s
				sy -= s * (flat[k] - last[1][k])
			}
			if sy > 1e-12*ss && ss > 0 {
				step = ss / sy
			} else {
				step *= 4
			}
		}
		step = min(step, 0.5/longest)
		last = [2][]float64{flatUnits, flat}
		next, ok := c.search(p, way, step, slope)
		if !ok {
			return
		}
		gain := next.value - p.value
		*p = *next
		if gain < 1e-7*(1+math.Abs(p.value)) {
			return
		}
	}
}

// search looks along a way for a value that is higher by enough.
func (c *climber) search(p *spot, way [][]float64, step, slope float64) (*spot, bool) {
	for range 12 {
		next := &spot{}
		ok := true
		for i, x := range p.points {
			y, u, in := c.space.along(x, p.units[i], way[i], step)
			next.points, next.units = append(next.points, y), append(next.units, u)
			ok = ok && in
		}
		if ok {
			c.measure(next)
			if next.value >= p.value+1e-4*step*slope {
				return next, true
			}
		}
		step /= 3
	}
	return nil, false
}

// measure finds out the value of a spot, and its slopes.
func (c *climber) measure(p *spot) {
	s := c.space
	by, slopes := make([][]float64, len(p.points)), make([][]float64, len(p.points))
	for i := range by {
		by[i], slopes[i] = make([]float64, s.features), make([]float64, len(s.moving))
	}
	p.value = c.of(c.features(p.points), by)
	for i := range slopes {
		for k, j := range s.moving {
			slopes[i][k] = by[i][s.first[j]]
		}
	}
	p.slopes = slopes
}

// swap changes one discrete parameter after the other for the better, and reports whether it
// found anything.
func (c *climber) swap(p *spot) (changed bool) {
	for _, x := range p.points {
		for _, j := range c.space.discrete {
			was, best := x[j], x[j]
			for _, v := range c.space.Parameters[j].near(was) {
				x[j] = v
				if !c.space.feasible(x) {
					continue
				}
				if value := c.of(c.features(p.points), nil); value > p.value+1e-9 {
					p.value, best, changed = value, v, true
				}
			}
			x[j] = best
		}
	}
	if changed {
		c.measure(p)
	}
	return changed
}

// near returns the values that are tried in place of one: all words, and steps up and down of
// lengths that double.
func (p *Parameter) near(v float64) (values []float64) {
	n := p.levels()
	if p.Kind != Stepped {
		for k := range n {
			if float64(k) != v {
				values = append(values, float64(k))
			}
		}
		return values
	}
	at := int(math.Round((v - p.From) / p.Step))
	for d := 1; d < n; d *= 2 {
		if at+d < n {
			values = append(values, p.level(at+d))
		}
		if at-d >= 0 {
			values = append(values, p.level(at-d))
		}
	}
	return values
}

// tangent returns what of a direction does not lead out of the space at once, from a point at
// u in unit coordinates.
func (s *Space) tangent(x Point, u, g []float64) []float64 {
	basis := slices.Clone(s.equal)
	d := slices.Clone(g)
	without(d, basis)
	block := func(normal []float64) {
		for range 2 {
			without(normal, basis)
		}
		if length := norm(normal); length > 1e-9 {
			scale(normal, 1/length)
			basis = append(basis, normal)
			without(d, basis[len(basis)-1:])
		}
	}
	const near = 1e-9
	for range len(u) + 1 {
		before := len(basis)
		for k := range u {
			if u[k] <= near && d[k] < -1e-12 || u[k] >= 1-near && d[k] > 1e-12 {
				normal := make([]float64, len(u))
				normal[k] = 1
				block(normal)
			}
		}
		for i := range s.Constraints {
			c := &s.Constraints[i]
			if c.Equal || c.excess(x) < -near*c.size(s) {
				continue
			}
			if normal := s.slope(c, x); num.Dot(normal, d) > 1e-12 {
				block(normal)
			}
		}
		if len(basis) == before {
			break
		}
	}
	return d
}

// slope is the derivative of a constraint's excess in unit coordinates.
func (s *Space) slope(c *Constraint, x Point) []float64 {
	normal := make([]float64, len(s.moving))
	for k, j := range s.moving {
		normal[k] = c.Coefficient[j] * s.Parameters[j].speed(x[j])
	}
	return normal
}

// along goes a step of a way from a point, or as far as the space reaches; it is not ok where
// it found no point of the space.
func (s *Space) along(x Point, u, way []float64, step float64) (Point, []float64, bool) {
	for k, v := range way {
		if v*step > 1e-12 { // less is rounding
			step = min(step, max(0, (1-u[k])/v))
		} else if v*step < -1e-12 {
			step = min(step, max(0, -u[k]/v))
		}
	}
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if rate := num.Dot(s.slope(c, x), way); !c.Equal && rate*step > 1e-12*c.size(s) {
			step = min(step, max(0, -c.excess(x)/rate*(1-1e-12)))
		}
	}
	y, to := slices.Clone(x), make([]float64, len(u))
	for range 20 {
		for k := range to {
			to[k] = min(max(u[k]+step*way[k], 0), 1)
		}
		s.level(to)
		s.place(y, to)
		if inUnit(to) && s.feasible(y) {
			return y, to, true
		}
		step /= 2
	}
	return x, u, false
}
