package model

import (
	"context"
	"math"
	"slices"

	"palate/gp"
	"palate/infer"
	"palate/likelihood"
)

// graphItems is the number of items, independent or linked, above which the posterior is
// kept by the graph of comparisons, not as a dense matrix, unless Options.DenseLimit says
// otherwise. Below, boards weigh draws and scales (see Draws), which so many items leave
// nothing to.
const graphItems = 1000

// graphLearning is the number of independent items above which hyper-parameters are
// learnt on the graph of comparisons.
const graphLearning = 100

// onGraph reports whether independent items are inferred by EP along their comparisons.
func (m *Single) onGraph() bool {
	_, ep := m.rule().(infer.EP)
	_, batch := m.schedule().(infer.Batch)
	return (m.kernel == nil || m.links != nil) && m.z == nil && ep && batch
}

// learnsOnGraph reports whether hyper-parameters are learnt along the comparisons.
func (m *Single) learnsOnGraph() bool {
	return m.onGraph() && (m.own || len(m.ids) > graphLearning && m.obs.group == nil && m.obs.answer == nil)
}

// A step of learnGraph is at most longStep in a logarithm; it ends with one below
// shortStep, or roughStep where it is only to be compared, or after so many rounds.
const (
	longStep    = 1.5
	roughStep   = 1e-2
	shortStep   = 1e-5
	graphRounds = 60
)

// learnGraph returns the logarithms of scale, tie threshold, voters' tastes and the kernel's
// parameters, as far as they are learnt, to a step that is short, from x on, at which the
// objective with its priors is largest, and the graph there. Each step is one of a
// quasi-Newton method, from sites that have settled as far as the step before it was
// short, so that the whole search costs a few runs.
func (s *search) learnGraph(ctx context.Context, x []float64, short float64) ([]float64, *infer.Graph, error) {
	x = slices.Clone(x)
	g, err := infer.NewGraph(s.graphProblem(x), infer.Settings{Tolerance: s.m.tolerance(), Start: s.start})
	if err != nil || len(x) == 0 {
		return x, g, err
	}
	var climb ascent
	for _, row := range s.bend {
		climb.bend = append(climb.bend, slices.Clone(row))
	}
	move := 1.0
	for round := range graphRounds {
		if _, err := g.Settle(ctx, max(s.m.tolerance(), min(1e-2, 2e-2*move))); err != nil {
			return nil, nil, err
		}
		s.round++
		if s.m.options.Progress != nil {
			s.m.options.Progress(Progress{Stage: "learning hyper-parameters", Round: s.round, Objective: math.NaN()})
		}
		if move < short && short == roughStep {
			break
		}
		if move < short {
			if move = g.Correct(); move < short {
				break
			}
			climb.x = nil // slopes jump
			continue
		}
		slope, bend := s.graphSlope(g, x)
		if s.m.links != nil && round < firstRounds {
			climb.x, climb.bend = nil, s.bends(g, x, slope, bend)
		}
		step := climb.step(x, slope, bend, s.params)
		move = 0
		for i, d := range step {
			x[i] += d
			move = max(move, math.Abs(d))
		}
		g.Set(s.graphProblem(x))
	}
	s.start, s.bend = g.Sites(), climb.bend
	return x, g, nil
}

// firstRounds are those in which slopes in the parameters of linked items are compared
// with those beside: scale, range and own share make up for each other. With sites held
// that does not tell all, and later rounds learn the rest from their steps.
const firstRounds = 6

// bends returns minus the second derivatives of the objective at x, with sites held, where
// its slopes and about how fast they fall are given; so much larger along the axes that
// all slopes fall.
func (s *search) bends(g *infer.Graph, x, slope, bend []float64) [][]float64 {
	const h = 0.05
	out := make([][]float64, len(x))
	for i := range x {
		moved := slices.Clone(x)
		moved[i] += h
		g.Set(s.graphProblem(moved))
		out[i], _ = s.graphSlope(g, moved)
		for j := range out[i] {
			out[i][j] = (slope[j] - out[i][j]) / h
		}
	}
	for i := range out {
		for j := range i {
			even := 0.5 * (out[i][j] + out[j][i])
			out[i][j], out[j][i] = even, even
		}
	}
	for by := 0.1; !eliminate(out, slices.Clone(slope)); by *= 2 {
		for i := range out {
			out[i][i] += by * max(bend[i], 1)
		}
	}
	return out
}

// graphProblem is what is inferred along the graph at some logarithms.
func (s *search) graphProblem(x []float64) *infer.Problem {
	scale, v, taste, k := s.at(x)
	p := gp.White(len(s.m.ids)).Own()
	if s.m.links != nil {
		p = s.m.priorAlong(k)
	}
	return s.m.problem(p, scale, v, taste)
}

// graphSlope returns the gradient of the objective with its priors, and about how fast
// each slope falls along its own direction.
func (s *search) graphSlope(g *infer.Graph, x []float64) (slope, bend []float64) {
	scale, v, taste, _ := s.at(x)
	if s.scale {
		const h = 1e-4
		_, d := s.m.scalePrior().logDensity(math.Log(scale))
		_, up := s.m.scalePrior().logDensity(math.Log(scale) + h)
		along, falls := g.Slope()
		slope, bend = append(slope, along+d), append(bend, falls-(up-d)/h)
	}
	if s.threshold {
		const h = 1e-3
		at := func(d float64) float64 {
			l := v.wider(d).of(s.m.obs)
			return g.Terms(func(row int) likelihood.Scalar { return l[row] })
		}
		up, here, down := at(h), at(0), at(-h)
		k := len(slope)
		slope = append(slope, (up-down)/(2*h)-(x[k]-s.params[k].at)/(pull*pull))
		bend = append(bend, (2*here-up-down)/(h*h)+1/(pull*pull))
	}
	if s.taste {
		const h = 1e-4
		at := 2 * math.Log(taste)
		_, d := logTastePrior(at)
		_, up := logTastePrior(at + h)
		along, falls := g.OwnSlope()
		slope, bend = append(slope, along+d), append(bend, falls-(up-d)/h)
	}
	if len(s.effects) > 0 {
		along, falls := s.effectSlopes(g, v)
		slope, bend, s.known = append(slope, along...), append(bend, falls...), falls[0]
	}
	for i, at := range s.kernel {
		along, falls := s.kernelSlope(g, at[0])
		k := len(s.params) - len(s.kernel) + i
		slope = append(slope, along-(x[k]-s.params[k].at)/(pull*pull))
		bend = append(bend, falls+1/(pull*pull))
	}
	return slope, bend
}

// effectSlopes returns the derivatives of the objective with its priors in the effects that
// are learnt, and how fast each falls along itself: at sites that have settled only the
// likelihood's own terms move.
func (s *search) effectSlopes(g *infer.Graph, v voting) (slope, bend []float64) {
	o := s.m.obs
	slopes, bends := make([]float64, len(o.effects)), make([]float64, len(o.effects))
	l, count := v.of(o), v.counts(o)
	for r, f := range g.Forms() {
		index, x := o.context.Row(r)
		if len(index) == 0 || math.IsNaN(f.Var) {
			continue
		}
		t := likelihood.Tilt(l[r], f.Mean, f.Var)
		for i, k := range index {
			slopes[k] += count[r] * x[i] * t.D1
			bends[k] -= count[r] * x[i] * x[i] * t.D2
		}
	}
	spread := o.spread(s.sides)
	for _, k := range s.effects {
		slope, bend = append(slope, slopes[k]-v.learnt[k]/spread[k]), append(bend, bends[k]+1/spread[k])
	}
	return slope, bend
}

// ascent finds where a gradient of a few logarithms vanishes, by the update of Broyden,
// Fletcher, Goldfarb and Shanno as Powell damps it: the secant, for one. Where the slope of
// one has been seen to change sign it stays between.
type ascent struct {
	x, slope []float64   // last; nil: none to learn from
	bend     [][]float64 // minus the matrix of second derivatives, as known
	lo, hi   float64     // between which one logarithm has its maximum
}

func (a *ascent) step(x, slope, bend []float64, params []parameter) []float64 {
	n := len(x)
	if a.x != nil {
		a.learn(x, slope)
	} else {
		a.lo, a.hi = math.Inf(-1), math.Inf(1)
	}
	if a.bend == nil {
		a.bend = make([][]float64, n)
		for i := range a.bend {
			a.bend[i] = make([]float64, n)
			a.bend[i][i] = max(bend[i], 1e-3)
		}
	}
	a.x, a.slope = slices.Clone(x), slices.Clone(slope)
	d := a.newton(slope, bend)
	if n == 1 {
		if slope[0] > 0 {
			a.lo = x[0]
		} else {
			a.hi = x[0]
		}
	}
	long := longStep
	for _, x := range d {
		long = max(long, math.Abs(x))
	}
	for i := range d {
		d[i] *= longStep / long
		to := x[i] + d[i]
		if n == 1 && math.Abs(d[i]) > 1e-3 && (to <= a.lo || to >= a.hi) && !math.IsInf(a.hi-a.lo, 1) {
			to = 0.5 * (a.lo + a.hi)
		}
		d[i] = min(max(to, params[i].lo), params[i].hi) - x[i]
	}
	return d
}

// learn makes the second derivatives agree with the last step.
func (a *ascent) learn(x, slope []float64) {
	n := len(x)
	step, fall, told := make([]float64, n), make([]float64, n), make([]float64, n)
	var square, seen, expected float64
	for i := range x {
		step[i], fall[i] = x[i]-a.x[i], a.slope[i]-slope[i]
		square += step[i] * step[i]
		seen += step[i] * fall[i]
	}
	for i, row := range a.bend {
		for j, b := range row {
			told[i] += b * step[j]
		}
		expected += step[i] * told[i]
	}
	if square < 1e-18 {
		return
	}
	if n == 1 {
		a.bend[0][0] = seen / square
		return
	}
	if least := 0.2 * expected; seen < least {
		by := (expected - least) / (expected - seen)
		for i := range fall {
			fall[i] = by*fall[i] + (1-by)*told[i]
		}
		seen = least
	}
	for i, row := range a.bend {
		for j := range row {
			row[j] += fall[i]*fall[j]/seen - told[i]*told[j]/expected
		}
	}
}

// newton solves bend·d = slope; where that would not go uphill it takes the bends of
// every direction alone.
func (a *ascent) newton(slope, alone []float64) []float64 {
	d := slices.Clone(slope)
	if eliminate(a.bend, d) {
		var up float64
		for i := range d {
			up += d[i] * slope[i]
		}
		if up >= 0 {
			return d
		}
	}
	for i := range d {
		d[i] = slope[i] / max(alone[i], 1e-3)
	}
	return d
}

// eliminate puts the solution d of ad = b in the place of b, for a matrix of a few rows
// with a diagonal that stays positive; it is not ok when that does not.
func eliminate(a [][]float64, b []float64) bool {
	n := len(b)
	m := make([][]float64, n)
	for i := range m {
		m[i] = slices.Clone(a[i])
	}
	for i := range n {
		if !(m[i][i] > 0) {
			return false
		}
		for r := i + 1; r < n; r++ {
			by := m[r][i] / m[i][i]
			for c := i; c < n; c++ {
				m[r][c] -= by * m[i][c]
			}
			b[r] -= by * b[i]
		}
	}
	for i := n - 1; i >= 0; i-- {
		for c := i + 1; c < n; c++ {
			b[i] -= m[i][c] * b[c]
		}
		b[i] /= m[i][i]
	}
	return true
}
