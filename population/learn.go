package population

import (
	"context"

	"palate"
	"palate/infer"
)

// Options say how a population is learnt. The zero value, and nil, are the
// defaults.
type Options struct {
	Settings
	Rank     int     // columns of A, a cap: the penalty picks the rank; 0 stands for 20
	Penalty  float64 // λ of λ|V|²/2; 0 stands for Penalty
	Rounds   int     // relearning of the relevances; 0 stands for 2, or 3 with person features
	MaxSteps int     // of the climb, a round; 0 stands for 200
	Gain     float64 // relative gain below which the climb ends; 0 stands for 1e-5
	Seed     uint64
	// DenseItems is up to how many items without features the spread of the mean is
	// learnt from the whole of ΣW, above from its diagonal; 0 stands for 20,000.
	DenseItems int
	// HeldOut are votes that are not learnt from, but whose loss Progress tells.
	HeldOut []palate.Tally
	// Progress, if set, is told after every step.
	Progress func(Progress)
	// Checkpoint, if set, is given the state now and then; Resume takes it up.
	Checkpoint func(*Checkpoint) error
	Resume     *Checkpoint
}

// Penalty is λ for votes that each tell something of their own. The pairs of a
// ranking do not; a person's own utilities account for that in what they say of the
// person, but the factors, of which there is one value only, overfit. Multiplied by
// palate.Redundancy the penalty is as large beside the evidence as if each answer
// weighed what it tells.
const Penalty = 6

// Progress describes learning under way.
type Progress struct {
	Evaluations int
	Objective   float64 // penalised log evidence
	Evidence    float64 // log evidence alone
	HeldOut     float64 // loss of a vote of Options.HeldOut, nats; NaN without
}

// Bounds and priors of the scale s and the share k. Consistent votes want no
// noise at all, which is right but makes EP hard; a share of one makes items
// with equal features the same.
const (
	minScale, maxScale = 0.01, 100
	typicalScale       = 30 // the prior's median; its log has a deviation of 2
	startScale         = 80
	maxShare           = 0.95
	startRelevance     = 0.1 // of all person features together
	startFactor        = 0.2 // deviation of V at the start; at zero the slope is zero
)

// minRelevance is that of a person feature that does not matter.
const minRelevance = 1e-6

// How well EP must have converged along the way, and in the end. The objective
// is stationary in the sites, so that 1e-3 along the way changes nothing that
// can be measured on SUSHI and MovieLens, for two thirds of the work.
const (
	climbing = 1e-3
	final    = 1e-5
)

// early is how much sooner the rounds before the last may stop.
const early = 20

// restCurve is the share of s·trΣW that the evidence bends by along the logarithm
// of the scale; Fisher's information has a half, but means and covariance make up
// for one another.
const restCurve = 0.05

// enough is how many steps in a row must gain next to nothing.
const enough = 2

// Learnt is a population with how it was learnt.
type Learnt struct {
	*LowRank
	Objective float64
	Evidence  float64
	HeldOut   float64 // loss of a vote of Options.HeldOut, nats; NaN without
	Rounds    int
	Evals     int
	Converged bool
	Stats     infer.Stats
	// Spread is the prior variance of the mean, over that of the utilities.
	Spread float64
	// Threshold is the margin below which people call a tie; 0 without ties.
	Threshold float64
}

// Learn finds the population that people come from. features are those of the
// persons, f a row, nil without. When ctx ends before it is done it returns the
// error of ctx.
func Learn(ctx context.Context, people *People, it *Items, features []float64, f int, o *Options) (*Learnt, *Engine, error) {
	if o == nil {
		o = &Options{}
	}
	s, err := NewShard(people, o.HeldOut, o.Settings)
	if err != nil {
		return nil, nil, err
	}
	c := newRounds(s, it, features, f, o.Likelihood == nil && people.Ties(), o)
	c.engine = s.Engine
	out, err := c.learn(ctx)
	return out, s.Engine, err
}

// LearnFrom is Learn of people whose votes are anywhere. With ties the margin below which
// people call one is learnt. Of the options Settings and HeldOut are up to the evaluator.
func LearnFrom(ctx context.Context, people Evaluator, it *Items, ties bool, o *Options) (*Learnt, error) {
	if o == nil {
		o = &Options{}
	}
	return newRounds(people, it, nil, 0, ties, o).learn(ctx)
}

func (c *rounds) learn(ctx context.Context) (*Learnt, error) {
	out := &Learnt{}
	if c.o.Resume != nil {
		out.Rounds = c.o.Resume.Round
	}
	for ; out.Rounds < c.rounds; out.Rounds++ {
		if err := c.run(ctx, out.Rounds); err != nil {
			return nil, err
		}
		out.Converged = c.climber.Rounds < c.steps
	}
	if err := c.finish(ctx, out); err != nil {
		return nil, err
	}
	return out, nil
}
