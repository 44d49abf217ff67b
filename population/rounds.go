package population

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
)

// rounds are those of learning: it climbs, and between rounds the
// relevances are learnt anew.
type rounds struct {
	o       *Options
	rounds  int
	steps   int // of a round, at most
	gain    float64
	learner *learner
	climber *climber
	engine  *Engine // has the sites that checkpoints keep; nil: they are elsewhere
}

func newRounds(people Evaluator, it *Items, features []float64, f int, ties bool, o *Options) *rounds {
	c := &rounds{o: o, rounds: o.Rounds, steps: cmp.Or(o.MaxSteps, 200), gain: cmp.Or(o.Gain, 1e-5), climber: &climber{}}
	if c.rounds == 0 {
		c.rounds = 2
		if f > 0 {
			c.rounds = 3
		}
	}
	c.learner = newLearner(people, it, features, f, ties, o)
	l := c.learner
	c.climber.X = l.start(rand.New(rand.NewPCG(o.Seed, 0x909)))
	c.climber.Short = l.size() - l.items.N*(1+l.d+l.f)
	return c
}

// run does one round, from a checkpoint if there is one.
func (c *rounds) run(ctx context.Context, round int) error {
	l, k, o := c.learner, c.climber, c.o
	last := round == c.rounds-1
	if r := o.Resume; r != nil && r.Round == round {
		if err := r.restore(l, k, c.engine); err != nil {
			return err
		}
	} else if err := k.start(ctx, l.evaluate); err != nil {
		return err
	}
	for k.Rounds < c.steps && k.Quiet < enough {
		up, err := k.step(ctx, l.evaluate)
		if err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(Progress{k.Evals, k.F, l.told.Evidence, l.told.Loss / l.told.Watched})
		}
		small := c.gain * math.Abs(k.F)
		if !last {
			small *= early
		}
		if up > small {
			k.Quiet = 0
		} else if k.Quiet++; up == 0 {
			k.Quiet = enough
		}
		if o.Checkpoint != nil {
			if err := o.Checkpoint(capture(l, k, c.engine, round)); err != nil {
				return err
			}
		}
	}
	if last {
		return nil
	}
	return l.relearn(ctx, k)
}

// finish infers everybody once more, so that sites and population agree.
func (c *rounds) finish(ctx context.Context, out *Learnt) error {
	l := c.learner
	l.unpack(c.climber.X)
	if c.o.Tolerance == 0 {
		l.tolerance = final
	}
	told, err := l.ask(ctx, Evidence)
	if err != nil {
		return err
	}
	out.Evidence, out.Stats, out.HeldOut = told.Evidence, told.Stats, told.Loss/told.Watched
	l.prior.root = &lazy{}
	out.LowRank, out.Objective, out.Evals = l.prior, c.climber.F, c.climber.Evals
	out.Spread, out.Threshold = l.spread, l.threshold
	return nil
}
