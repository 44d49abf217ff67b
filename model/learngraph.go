package model

import (
	"context"
	"math"
	"slices"

	"palate/gp"
	"palate/infer"
	"palate/likelihood"
)

// graphItems is the number of independent items above which the posterior is kept by the
// graph of comparisons, not as a dense matrix, unless Options.DenseLimit says otherwise. Below, boards weigh draws and scales
// (see Draws), which so many items leave nothing to.
const graphItems = 1000

// graphLearning is the number of independent items above which hyper-parameters are
// learnt on the graph of comparisons.
const graphLearning = 100

// onGraph reports whether independent items are inferred by EP along their comparisons.
func (m *Single) onGraph() bool {
	_, ep := m.rule().(infer.EP)
	_, batch := m.schedule().(infer.Batch)
	return m.kernel == nil && m.z == nil && ep && batch
}

// learnsOnGraph reports whether hyper-parameters are learnt along the comparisons.
func (m *Single) learnsOnGraph() bool {
	return m.onGraph() && (m.own || len(m.ids) > graphLearning && m.obs.group == nil)
}

// A step of learnGraph is at most longStep in a logarithm; it ends with one below
// shortStep, or roughStep where it is only to be compared, or after so many rounds.
const (
	longStep    = 1.5
	roughStep   = 1e-2
	shortStep   = 1e-5
	graphRounds = 60
)

// learnGraph returns the logarithms of scale, tie threshold and voters' tastes, as far as
// they are learnt, to a step that is short, from x on, at which the objective with its priors is largest, and the graph there. Each step is one of a
// quasi-Newton method, from sites that have settled as far as the step before it was
// short, so that the whole search costs a few runs.
func (s *search) learnGraph(ctx context.Context, x []float64, short float64) ([]float64, *infer.Graph, error) {
	x = slices.Clone(x)
	scale, v, taste, _ := s.at(x)
	g, err := infer.NewGraph(s.m.problem(gp.White(len(s.m.ids)).Own(), scale, v, taste), infer.Settings{Tolerance: s.m.tolerance(), Start: s.start})
	if err != nil || len(x) == 0 {
		return x, g, err
	}
	var climb ascent
	move := 1.0
	for range graphRounds {
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
			continue
		}
		slope, bend := s.graphSlope(g, x)
		step := climb.step(x, slope, bend, s.params)
		move = 0
		for i, d := range step {
			x[i] += d
			move = max(move, math.Abs(d))
		}
		scale, v, taste, _ := s.at(x)
		g.Set(scale, v.of(s.m.obs))
		if s.taste {
			g.SetEffects(taste*taste, v.repeat)
		}
	}
	s.start = g.Sites()
	return x, g, nil
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
			l := voting{v.family, v.threshold * math.Exp(d), v.repeat}.of(s.m.obs)
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
	return slope, bend
}

// ascent finds where a gradient of a few logarithms vanishes, by Broyden's method: the
// secant, for one. Where the slope of one has been seen to change sign it stays
// between.
type ascent struct {
	x, slope []float64   // last
	bend     [][]float64 // minus the matrix of second derivatives, as known
	lo, hi   float64     // between which one logarithm has its maximum
}

func (a *ascent) step(x, slope, bend []float64, params []parameter) []float64 {
	n := len(x)
	if a.x == nil {
		a.lo, a.hi = math.Inf(-1), math.Inf(1)
		a.bend = make([][]float64, n)
		for i := range a.bend {
			a.bend[i] = make([]float64, n)
			a.bend[i][i] = max(bend[i], 1e-3)
		}
	} else {
		a.learn(x, slope)
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
	for i := range d {
		d[i] = min(max(d[i], -longStep), longStep)
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
	var square float64
	for i := range x {
		square += (x[i] - a.x[i]) * (x[i] - a.x[i])
	}
	if square < 1e-18 {
		return
	}
	for i, row := range a.bend {
		miss := a.slope[i] - slope[i]
		for j := range row {
			miss -= row[j] * (x[j] - a.x[j])
		}
		for j := range row {
			row[j] += miss * (x[j] - a.x[j]) / square
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

// eliminate puts the solution d of ad = b in the place of b, for a matrix of a few rows with
// a diagonal that stays positive; it is not ok when that does not.
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
