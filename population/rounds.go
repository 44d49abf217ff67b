package population

import (
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
}

func newRounds(people *People, it *Items, features []float64, f int, o *Options) (*rounds, error) {
	c := &rounds{o: o, rounds: o.Rounds, steps: o.MaxSteps, gain: o.Gain, climber: &climber{}}
	if c.steps == 0 {
		c.steps = 200
	}
	if c.gain == 0 {
		c.gain = 1e-5
	}
	if c.rounds == 0 {
		c.rounds = 2
		if f > 0 {
			c.rounds = 3
		}
	}
	s := o.Settings
	if s.Likelihood == nil && people.Ties() {
		s.Likelihood = Voting(typicalThreshold)
	}
	e, err := NewEngine(people, s)
	if err != nil {
		return nil, err
	}
	if o.Tolerance == 0 {
		e.method.tolerance = climbing
	}
	c.learner = newLearner(e, it, features, f, o)
	l := c.learner
	c.climber.X = l.start(rand.New(rand.NewPCG(o.Seed, 0x909)))
	c.climber.Short = l.size() - l.items.N*(1+l.d+l.f)
	return c, nil
}

// run does one round, from a checkpoint if there is one.
func (c *rounds) run(ctx context.Context, round int) error {
	l, k, o := c.learner, c.climber, c.o
	last := round == c.rounds-1
	if r := o.Resume; r != nil && r.Round == round {
		if err := r.restore(l, k); err != nil {
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
			o.Progress(Progress{round, k.Rounds, k.Evals, k.F, l.evidence, l.watch.mean(), l.stats})
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
			if err := o.Checkpoint(capture(l, k, round)); err != nil {
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
	l, e := c.learner, c.learner.engine
	l.unpack(c.climber.X)
	if c.o.Tolerance == 0 {
		e.method.tolerance = final
	}
	var err error
	out.Evidence, out.Stats, err = e.Evaluate(ctx, l.prior, l.watching()...)
	out.HeldOut = l.watch.mean()
	l.prior.root = &lazy{}
	out.LowRank, out.Objective, out.Evals = l.prior, c.climber.F, c.climber.Evals
	out.Spread, out.Relevance, out.Threshold = l.spread, l.relevance, l.threshold
	return err
}
