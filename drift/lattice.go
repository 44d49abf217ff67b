package drift

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// Of the lattice of processes about the likeliest: spacing is its step along an axis of the
// normal posterior, in deviations; from a point whose log density is below the highest by no
// more than reach it goes on to the neighbours; and it ends at so many points.
const (
	spacing   = 1.25
	reach     = 3
	maxPoints = 200
)

// certain is a deviation of the logarithms of parameters that is too small to matter.
const certain = 0.05

// representatives is how many processes of a kind a posterior has at most.
const representatives = 40

// point is a process of the lattice and its log density, or its weight.
type point struct {
	at      [3]int
	process Process
	value   float64
	hops    []Hop // under a process that jumps
}

// integrate finds the density of processes on a lattice about the likeliest, whose log density
// is at, and the log of the volume of a cell. The lattice goes along the axes of the curvature
// h as far as there is some density (Rue, Martino and Chopin 2009, §3.1). Messages settle anew
// at every point: with those of the likeliest held, the density would be too narrow, the more
// so towards utilities that move more. Where votes leave next to nothing open the likeliest
// stands for all.
func (l *learning) integrate(ctx context.Context, p Process, at float64, h *mat.SymDense) ([]point, float64, error) {
	factor, err := num.NewExact(h)
	if err != nil { // climb has made it positive definite
		return nil, 0, err
	}
	x := l.numbers(p)
	d := len(x)
	axes, volume := mat.NewDense(d, d, nil), -0.5*factor.LogDet() // axes are its columns
	for i := range d {
		axes.Set(i, i, 1)
	}
	if err := axes.Solve(factor.Upper(), axes); err != nil {
		return nil, 0, err
	}
	if mat.Max(axes) < certain && mat.Min(axes) > -certain {
		return []point{{process: p, value: at, hops: l.w.hops()}}, volume + 0.5*float64(d)*math.Log(2*math.Pi), nil
	}
	for i := range d {
		step := spacing
		for j := range d {
			step = min(step, longest/math.Abs(axes.At(j, i)))
		}
		for j := range d {
			axes.Set(j, i, step*axes.At(j, i))
		}
		volume += math.Log(step)
	}
	points, seen, best := []point{{process: p, value: at, hops: l.w.hops()}}, map[[3]int]bool{{}: true}, at
	for k := 0; k < len(points); k++ {
		if points[k].value < best-reach {
			continue
		}
		for side := range 2 * d {
			next := points[k].at
			next[side/2] += 2*(side%2) - 1
			if seen[next] || len(points) == maxPoints {
				continue
			}
			seen[next] = true
			y := slices.Clone(x)
			for i := range d {
				for j := range d {
					y[j] += float64(next[i]) * axes.At(j, i)
				}
			}
			q := l.with(p, y)
			l.w.set(q)
			done, err := l.converge(ctx, roughly, 50)
			if err != nil {
				return nil, 0, err
			}
			if value := l.evidence() + l.logPrior(q); done {
				points, best = append(points, point{next, q, value, l.w.hops()}), max(best, value)
			}
		}
	}
	return points, volume, nil
}

// represent returns a few of the points, with weights that sum to one: evenly of all in the
// order of how much moves, as often as their densities tell.
func represent(points []point) (few []point) {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.process.Move, b.process.Move), cmp.Compare(a.process.Stay, b.process.Stay), cmp.Compare(a.process.Length, b.process.Length))
	})
	best := slices.MaxFunc(points, func(a, b point) int { return cmp.Compare(a.value, b.value) }).value
	var sum float64
	for k := range points {
		points[k].value = math.Exp(points[k].value - best)
		sum += points[k].value
	}
	var upTo, taken float64
	for _, x := range points {
		upTo += x.value / sum
		if n := math.Floor(upTo*representatives+0.5) - taken; n > 0 {
			taken += n
			x.value = n / representatives
			few = append(few, x)
		}
	}
	return few
}
