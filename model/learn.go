package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"palate/infer"
	"palate/internal/num"
)

// meanField reports whether s has a posterior of its own inside the bound, as
// in CROWD (15), instead of being learnt from outside. That takes a Gamma prior.
func (m *Single) meanField() bool {
	_, linearised := m.rule().(infer.Linearised)
	switch {
	case m.options.Scale != 0 || m.rule().Kind() != infer.LowerBound:
		return false
	case linearised:
		return true
	}
	return m.options.ScalePrior != (infer.Gamma{}) && m.z == nil // see infer.Problem.ScalePrior
}

// rule is EP unless the options say otherwise, or only stochastic steps are
// within reach, which climb the bound of VI.
func (m *Single) rule() infer.Rule {
	if m.options.Rule != nil {
		return m.options.Rule
	}
	if _, stochastic := m.schedule().(infer.Stochastic); stochastic {
		return infer.VI{}
	}
	return infer.EP{}
}

func (m *Single) scalePrior() scalePrior { return scalePrior{m.options.ScalePrior, m.coins} }

// learn finds the hyper-parameters and then the posterior. A stochastic run
// has no objective to climb on the way, and with many votes on own parts climbing
// takes long: there the hyper-parameters are learnt from a sample of the votes.
func (m *Single) learn(ctx context.Context) error {
	on, sampled := m, false
	switch _, stochastic := m.schedule().(infer.Stochastic); {
	case m.z == nil && m.own:
	case stochastic || m.own && m.obs.rows.Len() > wholeRows:
		on, sampled = m.thinned(), true
	case m.own: // items without votes have no part in it
		on = m.only(num.Indices(m.obs.rows.Len()))
	}
	s, x, err := on.climb(ctx)
	if err == nil && on == m {
		s, x, err = m.climbSides(ctx, s, x)
	}
	if err != nil {
		return fmt.Errorf("model: learning hyper-parameters: %w", err)
	}
	scale, v, taste, k := s.at(x)
	if !m.own { // what was learnt along the graph is integrated out of a dense posterior
		v.learnt = nil
	}
	p, err := m.prior(k)
	if err != nil {
		return err
	}
	if s.m, s.rough = m, 0; sampled {
		s.start = nil
	}
	var r *infer.Result
	unit := Dependence{Taste: taste}.unit()
	said := scale / (unit * unit) // in a file
	along := s.graph != nil && m.own
	if along {
		s.graph.Set(m.problem(p, said*unit*unit, v, taste))
		r, err = s.graph.Finish(ctx)
	} else {
		r, err = s.infer(ctx, p, scale, v, taste)
	}
	if err != nil {
		return err
	}
	if m.gain, err = m.overCoins(ctx, p, v, taste, r); err != nil {
		return err
	}
	m.dependence = Dependence{Taste: taste, Repeat: v.repeat}
	m.effects = m.found(v, r, s.graph)
	if m.own && !along { // as a file would have it, whatever the last sweeps started from
		r.Posterior, err = m.ownPosterior(p, said, v, r.Sites, r.Kind)
	} else if r.Posterior, err = rescaled(r.Posterior, unit); along {
		r.Posterior.Scale = said // to the bit
	}
	if err != nil {
		return err
	}
	if m.own { // the sites say it all
		m.obs.context, m.obs.effects, m.obs.sided = nil, nil, false
	}
	v.threshold *= unit
	m.kernel, m.voting, m.result = k, v, r
	m.made = made{rule: ruleName(m.rule()), schedule: strings.TrimPrefix(fmt.Sprintf("%T", m.schedule()), "infer."), tolerance: m.tolerance()}
	if s, ok := m.schedule().(infer.Stochastic); ok {
		s = s.Defaults(m.obs.rows.Len())
		m.made.steps = &Steps{Batch: s.Batch, Delay: s.Delay, Forget: s.Forget}
	}
	return nil
}

// climb finds the hyper-parameters of most evidence. Of the shares of noise that voters
// may repeat that of most evidence is taken, where some did.
func (m *Single) climb(ctx context.Context) (*search, []float64, error) {
	repeated := m.obs.repeated()
	best, x, err := m.climbShapes(ctx, repeated)
	if err != nil || !repeated {
		return best, x, err
	}
	top, err := best.height(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	top += math.Log(repeats[0].share)
	for _, repeat := range repeats[1:] {
		s := m.newSearch(NoSides)
		s.repeat, s.start, s.bend, s.habits = repeat.at, best.start, best.bend, best.habits.Clone()
		// Where the hyper-parameters of one are far from good for the next there is no need
		// to go on. Along the graph it is as soon done.
		if !m.learnsOnGraph() {
			s.rough = roughHeight
			value, err := s.height(ctx, x)
			s.rough = 0
			if err != nil || value < top-farBelow {
				if err != nil {
					return nil, nil, err
				}
				break
			}
		}
		at, err := s.climb(ctx, x, true)
		if err != nil {
			return nil, nil, err
		}
		value, err := s.height(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		if value += math.Log(repeat.share); value > top {
			top, best, x = value, s, at
		} else if value < top-farBelow {
			break
		}
	}
	if m.learnsOnGraph() {
		x, err = best.climb(ctx, x, false)
	}
	return best, x, err
}

// climbShapes finds the hyper-parameters where voters repeat no noise; where the kernel over
// features is settled by the evidence, of the shape that has most.
func (m *Single) climbShapes(ctx context.Context, rough bool) (*search, []float64, error) {
	best := m.newSearch(NoSides)
	compare := m.over.settled && len(m.ids) <= shapedItems
	if compare {
		best.gain = comparedGain
	}
	x, err := best.climb(ctx, best.first(), rough)
	if err != nil || !compare {
		return best, x, err
	}
	top, err := best.height(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	for _, shape := range settledShapes()[1:] {
		was := m.kernel
		m.kernel = m.kernelOf(shape)
		s := m.newSearch(NoSides)
		s.start, s.habits, s.gain = best.start, best.habits.Clone(), comparedGain
		at, err := s.climb(ctx, x, rough)
		if err != nil {
			return nil, nil, err
		}
		value, err := s.height(ctx, at)
		if err != nil {
			return nil, nil, err
		}
		if value > top+comparedGain {
			top, best, x = value, s, at
		} else {
			m.kernel = was
		}
	}
	best.gain = settledGain
	x, err = best.climb(ctx, x, rough)
	return best, x, err
}

// farBelow is by how much evidence may lie below the best for a climb from there to be
// worth its time, and roughHeight the tolerance of inference that tells.
const (
	farBelow    = 30
	roughHeight = 1e-2
)

// thinnedRows is how many rows hyper-parameters are learnt from where there
// are too many for full sweeps.
const thinnedRows = 10000

// thinned returns the model of a random sample of the rows, thinnedRows at most, and the items they
// touch. Where items have parts of their own it holds all rows of some items, since
// what is an item's own shows in that its votes agree.
func (m *Single) thinned() *Single {
	rng := rand.New(rand.NewPCG(m.options.Seed, 2))
	var pick []int
	if m.own {
		pick = m.obs.around(rng.Perm(len(m.ids)), thinnedRows)
	} else {
		pick = rng.Perm(m.obs.rows.Len())[:min(thinnedRows, m.obs.rows.Len())]
	}
	t := m.only(pick)
	t.options.Rule, t.options.Schedule = m.rule(), infer.Batch{}
	return t
}

// only returns the model of some rows and the items they touch.
func (m *Single) only(rows []int) *Single {
	t := *m
	var items []int
	t.obs, items = m.obs.pick(rows)
	t.obs.ties = m.obs.ties
	t.x = m.x.Subset(items)
	t.ids = make([]string, len(items))
	return &t
}

func (m *Single) tolerance() float64 {
	if m.options.Tolerance == 0 {
		return 1e-6
	}
	return m.options.Tolerance
}

// wholeRows is the number of rows up to which full sweeps learn everything.
const wholeRows = 50000

// schedule is Batch unless the options say otherwise, or there are inducing
// points and so many votes that full sweeps are out of reach. With own parts a sweep
// costs no more than a pass of stochastic steps, and a few will do.
func (m *Single) schedule() infer.Schedule {
	switch {
	case m.options.Schedule != nil:
		return m.options.Schedule
	case m.z != nil && !m.own && m.obs.rows.Len() > wholeRows:
		return infer.Stochastic{Seed: m.options.Seed}
	}
	return infer.Batch{}
}
