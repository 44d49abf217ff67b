package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// search is the state of learning hyper-parameters: the logarithms of, in this
// order, the inverse scale s, the tie threshold, the variance of voters' own tastes and
// the kernel's parameters, each only if it is learnt.
type search struct {
	m                       *Single
	scale, threshold, taste bool
	repeat                  float64 // see Dependence
	sides                   Sides
	effects                 []int              // of the context, that are learnt and not integrated out
	lean                    float64            // where it is not learnt, see voting
	kernel                  [][]int            // the kernel's parameters that are learnt, those that move together in one
	habits                  *likelihood.Habits // of calling ties; nil: all have the same
	params                  []parameter
	fixedScale              float64
	fixedThreshold          float64
	start                   []gp.Site
	known                   float64      // precision of the first of these, given the items
	rough                   float64      // tolerance of inference on the way; 0: that of the model
	gain                    float64      // of the objective that is worth a step
	graph                   *infer.Graph // that the search went along; nil: none
	bend                    [][]float64  // how slopes fell along it; nil: not known
	round                   int
}

// Bounds of the logarithms, wide enough to matter only where votes say nothing:
// utilities with a spread of .03 to 30 noise units, ties within .005 to 5 of
// them, length-scales up to 50 times their median and down to a twentieth.
const (
	scaleRange     = 1000
	thresholdStart = 0.3
	thresholdLo    = 0.005
	thresholdHi    = 5
	tasteLo        = 0.01
	tasteHi        = 30
	lengthLo       = 20
	lengthHi       = 50
)

func (m *Single) newSearch(sides Sides) *search {
	o := m.options
	s := &search{m: m, gain: 1e-3, sides: sides, fixedScale: o.Scale, fixedThreshold: o.Threshold}
	if m.learnsOnGraph() {
		for k, spread := range m.obs.spread(sides) {
			if spread > 0 {
				s.effects = append(s.effects, k)
			}
		}
	}
	if s.scale = o.Scale == 0 && !m.meanField(); s.scale {
		l := math.Log(scaleRange)
		s.params = append(s.params, parameter{name: "inverse scale", lo: -l, hi: l})
	}
	if s.threshold = o.Threshold == 0 && m.obs.ties; s.threshold {
		s.params = append(s.params, parameter{name: "tie threshold", lo: math.Log(thresholdLo), hi: math.Log(thresholdHi), at: math.Log(thresholdStart)})
		if m.obs.habit != nil {
			s.habits = m.obs.newHabits()
		}
	}
	if s.taste = m.obs.group != nil; s.taste {
		s.params = append(s.params, parameter{name: "own tastes", lo: math.Log(tasteLo * tasteLo), hi: math.Log(tasteHi * tasteHi), at: math.Log(0.25)})
	}
	if sides == VoterSides {
		s.params = append(s.params, parameter{name: "own sides", lo: math.Log(tasteLo * tasteLo), hi: math.Log(tasteHi * tasteHi), at: 2 * math.Log(leanStart)})
	}
	for range s.effects {
		s.params = append(s.params, parameter{name: effectName, lo: -effectMost, hi: effectMost})
	}
	switch {
	case m.kernel == nil:
	case m.over.settled:
		more, index := m.settledParameters()
		s.params, s.kernel = append(s.params, more...), index
		s.rough, s.gain = settledRough, settledGain
	default:
		names, at := m.kernel.ParamNames(), m.kernel.Params()
		own := o.Kernel == nil && o.Smoothness != Smooth
		for k, name := range names {
			p := parameter{name: name, lo: at[k] - math.Log(lengthLo), hi: at[k] + math.Log(lengthHi), at: at[k]}
			// In our own kernel the first variance is the scale's business and the
			// last is the nugget, which is always learnt.
			switch {
			case own && k == 0:
				continue
			case own && k == len(names)-1:
				p.lo, p.hi = math.Log(1e-3), math.Log(1e3)
			case o.Lengths != LearntLengths && !ofLinks(name):
				continue
			}
			s.kernel = append(s.kernel, []int{k})
			s.params = append(s.params, p)
		}
	}
	return s
}

// sidesAt is where among the logarithms what is learnt of sides would be.
func (s *search) sidesAt() int { return len(s.params) - len(s.kernel) - len(s.effects) }

// effectName is what effects of the context are called among hyper-parameters. They are no
// logarithms, and lie within ±effectMost.
const (
	effectName = "effect"
	effectMost = 5
)

// first is where the hyper-parameters start.
func (s *search) first() []float64 {
	x := make([]float64, len(s.params))
	for i, p := range s.params {
		x[i] = p.at
	}
	return x
}

// climb finds the hyper-parameters of most evidence from some on; along the graph only
// roughly where they are to be compared.
func (s *search) climb(ctx context.Context, from []float64, rough bool) (x []float64, err error) {
	if s.habits != nil {
		return s.climbWithHabits(ctx, from, rough)
	}
	return s.climbOnce(ctx, from, rough)
}

// climbOnce is climb at the habits that voters have.
func (s *search) climbOnce(ctx context.Context, from []float64, rough bool) (x []float64, err error) {
	_, linearised := s.m.rule().(infer.Linearised)
	switch {
	case s.m.learnsOnGraph() && rough:
		x, s.graph, err = s.learnGraph(ctx, from, roughStep)
	case s.m.learnsOnGraph():
		x, s.graph, err = s.learnGraph(ctx, from, shortStep)
	case len(from) > 0 && !linearised:
		params := slices.Clone(s.params)
		for i := range params {
			params[i].at = from[i]
		}
		first := 0.0
		if s.start != nil { // from a climb that was much the same
			first = nearStep
		}
		x, err = maximise(ctx, params, first, s.gain, 200, func(x []float64) (float64, []float64, error) {
			return s.evaluate(ctx, x)
		})
	default:
		x = from
	}
	return x, err
}

// nearStep is the length of the first step of a climb that begins near the top.
const nearStep = 0.1

// height is the objective with the priors of the hyper-parameters; along the graph, where
// the climb has ended.
func (s *search) height(ctx context.Context, x []float64) (float64, error) {
	if s.graph != nil {
		return s.graph.Evidence() + s.logPrior(x), nil
	}
	value, _, err := s.value(ctx, x)
	return value, err
}

// at unpacks the logarithms.
func (s *search) at(x []float64) (scale float64, v voting, taste float64, k kernel.Kernel) {
	scale, v = s.fixedScale, voting{family: s.m.options.Likelihood, threshold: s.fixedThreshold, repeat: s.repeat, habits: s.habits, sides: s.sides, lean: s.lean}
	scale = cmp.Or(scale, 1)
	if s.scale {
		scale, x = math.Exp(x[0]), x[1:]
	}
	if s.threshold {
		v.threshold, x = math.Exp(x[0]), x[1:]
	}
	if s.taste {
		taste, x = math.Exp(0.5*x[0]), x[1:]
	}
	if s.sides == VoterSides {
		v.lean, x = math.Exp(0.5*x[0]), x[1:]
	}
	if len(s.effects) > 0 {
		v.learnt = make([]float64, len(s.m.obs.effects))
		for _, k := range s.effects {
			v.learnt[k], x = x[0], x[1:]
		}
	}
	k = s.m.kernel
	if len(s.kernel) > 0 {
		theta := k.Params()
		for i, which := range s.kernel {
			by := x[i] - theta[which[0]]
			for _, at := range which {
				theta[at] += by
			}
			theta[which[0]] = x[i] // to the bit
		}
		k = k.With(theta)
	}
	return scale, v, taste, k
}

func (s *search) infer(ctx context.Context, p *gp.Prior, scale float64, v voting, taste float64) (*infer.Result, error) {
	r, err := infer.Run(ctx, s.m.problem(p, scale, v, taste), &infer.Settings{
		Rule: s.m.rule(), Schedule: s.m.schedule(), Tolerance: max(s.rough, s.m.tolerance()), Start: s.start,
	})
	if err != nil {
		return nil, err
	}
	s.start = r.Sites
	return r, nil
}

// evaluate returns the objective with the priors of the hyper-parameters, and
// its gradient in their logarithms.
func (s *search) evaluate(ctx context.Context, x []float64) (float64, []float64, error) {
	value, r, err := s.value(ctx, x)
	if err != nil {
		return 0, nil, err
	}
	s.round++
	if s.m.options.Progress != nil {
		s.m.options.Progress(Progress{Stage: "learning hyper-parameters", Round: s.round, Objective: value})
	}
	if !r.HasGradient() { // Laplace: the mode's curvature moves too
		grad, err := s.differences(ctx, x)
		return value, grad, err
	}
	scale, v, taste, _ := s.at(x)
	grad := make([]float64, 0, len(x))
	sens := r.Sensitivity()
	p := r.Posterior.Prior
	if s.scale {
		_, d := s.logScalePrior(math.Log(scale))
		grad = append(grad, d-p.LogScale(sens, p.Residuals(&s.m.obs.rows)))
	}
	if s.threshold {
		grad = append(grad, s.thresholdGrad(r, v))
	}
	if s.taste {
		_, d := logTastePrior(2 * math.Log(taste))
		grad = append(grad, d+taste*taste*r.OwnSlope())
	}
	if s.sides == VoterSides {
		_, d := logLeanPrior(2 * math.Log(v.lean))
		grad = append(grad, d+v.lean*v.lean*r.VarySlope(0))
	}
	if len(s.kernel) > 0 {
		g := p.KernelGrad(sens, &s.m.obs.rows)
		for _, which := range s.kernel {
			var sum float64
			for _, at := range which {
				sum += g[at]
			}
			grad = append(grad, sum)
		}
	}
	for i := range grad {
		if d := s.params[i].deviation; d != 0 {
			_, slope := logPartPrior(s.logVariance(x, i)-math.Log(scale), s.params[i].rate)
			grad[i] += d * slope
			if s.scale {
				grad[0] -= slope
			}
		}
		if s.pulled(i) {
			grad[i] -= (x[i] - s.params[i].at) / (pull * pull)
		}
	}
	return value, grad, nil
}

// pull is the spread of the weak normal prior that holds the logarithms that have no
// prior of their own to their start: a factor of e², so that only what the votes do not
// touch stays put.
const pull = 2

func (s *search) pulled(i int) bool {
	name := s.params[i].name
	return s.params[i].deviation == 0 && name != "inverse scale" && name != "own tastes" && name != "own sides" && name != effectName
}

// logScalePrior is the log density of the logarithm of the inverse scale, and its slope. Where
// parts of utilities have priors of their own it is that of the part which the kernel's shape
// explains.
func (s *search) logScalePrior(logS float64) (lp, slope float64) {
	if p := s.m.scalePrior(); !s.m.over.settled || p != (scalePrior{}) {
		return p.logDensity(logS)
	}
	lp, slope = logPartPrior(math.Log(partStart)-logS, partRate)
	return lp, -slope
}

// logVariance is that of the part of utilities that a parameter is about, at scale one.
func (s *search) logVariance(x []float64, i int) float64 {
	return math.Log(partStart) + s.params[i].deviation*(x[i]-s.params[i].at)
}

// value is the objective with the priors.
func (s *search) value(ctx context.Context, x []float64) (float64, *infer.Result, error) {
	scale, v, taste, k := s.at(x)
	p, err := s.m.prior(k)
	if err != nil {
		return 0, nil, err
	}
	r, err := s.infer(ctx, p, scale, v, taste)
	if err != nil {
		return 0, nil, err
	}
	return r.Objective + s.logPrior(x), r, nil
}

// logPrior is that of the hyper-parameters.
func (s *search) logPrior(x []float64) (sum float64) {
	scale, v, taste, _ := s.at(x)
	if s.scale {
		lp, _ := s.logScalePrior(math.Log(scale))
		sum += lp
	}
	if s.taste {
		lp, _ := logTastePrior(2 * math.Log(taste))
		sum += lp
	}
	if s.sides == VoterSides {
		lp, _ := logLeanPrior(2 * math.Log(v.lean))
		sum += lp
	}
	spread := s.m.obs.spread(s.sides)
	for _, k := range s.effects {
		sum -= 0.5 * v.learnt[k] * v.learnt[k] / spread[k]
	}
	for i := range x {
		if s.params[i].deviation != 0 {
			lp, _ := logPartPrior(s.logVariance(x, i)-math.Log(scale), s.params[i].rate)
			sum += lp
		}
		if s.pulled(i) {
			d := (x[i] - s.params[i].at) / pull
			sum -= 0.5 * d * d
		}
	}
	if s.habits != nil {
		sum += s.habits.LogPrior()
	}
	return sum
}

// differences is the gradient by central differences.
func (s *search) differences(ctx context.Context, x []float64) ([]float64, error) {
	const h = 1e-3
	grad := make([]float64, len(x))
	for i := range x {
		var side [2]float64
		for k, d := range []float64{h, -h} {
			moved := slices.Clone(x)
			moved[i] += d
			v, _, err := s.value(ctx, moved)
			if err != nil {
				return nil, err
			}
			side[k] = v
		}
		grad[i] = (side[0] - side[1]) / (2 * h)
	}
	return grad, nil
}

// thresholdGrad is the derivative in the log threshold: at convergence only
// the likelihood's own terms move.
func (s *search) thresholdGrad(r *infer.Result, v voting) float64 {
	const h = 1e-5
	at := func(d float64) float64 {
		l := v.wider(d).of(s.m.obs)
		return r.Terms(func(row int) likelihood.Scalar { return l[row] })
	}
	return (at(h) - at(-h)) / (2 * h)
}
