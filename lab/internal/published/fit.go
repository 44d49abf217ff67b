package published

import (
	"context"
	"math"
	"math/rand/v2"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// Learnt is q after a fit.
type Learnt struct {
	*engine
	// Objective is what the update climbs: CROWD (51), corrected, for the crowd: the
	// bound with votes as the linearised observations that they are taken for.
	Objective float64
	// Bound is CROWD (35), corrected, with z as Gaussian as its mean and variance
	// allow: with factors it is not, and this no true bound.
	Bound  float64
	Status infer.Status

	weight [][]float64 // by factor: posterior mean for every voter
	spread [][]float64 // by factor: posterior variance for every voter
}

// engine is q with what it is inferred from. Column 0 is the consensus, whose
// weight is 1.
type engine struct {
	*Problem
	Options
	items, voters *gp.Prior // voters is nil where no factor has their kernel
	item          []field   // columns; [0] is nil without a consensus
	voter         []field   // [0] is nil
	noise         []float64 // Q of every vote
	total         float64   // weight of all votes
}

// Fit infers consensus, factors and voters. When ctx ends before the last step it
// returns the error of ctx.
func Fit(ctx context.Context, p *Problem, o *Options) (*Learnt, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	q, err := newEngine(p, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(q.Seed, 0x5eed))
	for _, f := range q.voter[1:] {
		f.start(rng)
	}
	l := &Learnt{engine: q}
	d := deck{rng: rng}
	for i := range q.Steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		votes := num.Indices(len(p.Votes))
		if q.Batch > 0 && q.Batch < len(votes) {
			votes = d.deal(len(votes), q.Batch)
		}
		if err := q.step(q.rate(i), q.glance(votes)); err != nil {
			return nil, err
		}
	}
	l.settle()
	return l, nil
}

func newEngine(p *Problem, o *Options) (*engine, error) {
	if o == nil {
		o = &Options{}
	}
	q := &engine{Problem: p, Options: *o}
	q.settle(p)
	for _, v := range p.Votes {
		q.total += v.weight()
	}
	var err error
	if q.items, err = p.Items.prior(); err != nil {
		return nil, err
	}
	if q.Featured > 0 {
		if q.voters, err = p.Voters.prior(); err != nil {
			return nil, err
		}
	}
	q.item, q.voter = make([]field, q.Factors+1), make([]field, q.Factors+1)
	if !q.NoConsensus {
		if q.item[0], err = newProcess(q.items, q.ConsensusScale, q.FixedScales); err != nil {
			return nil, err
		}
	}
	for c := 1; c <= q.Factors; c++ {
		if q.item[c], err = newProcess(q.items, q.FactorScale, q.FixedScales); err != nil {
			return nil, err
		}
		if c > q.Featured {
			q.voter[c] = newIndependent(p.Voters.Points.Len(), q.WeightScale, q.FixedScales || q.UnitWeights)
		} else if q.voter[c], err = newProcess(q.voters, q.WeightScale, q.FixedScales || q.UnitWeights); err != nil {
			return nil, err
		}
	}
	q.setNoise()
	return q, nil
}

// settle derives what follows from the last step.
func (l *Learnt) settle() {
	l.weight, l.spread = make([][]float64, l.Factors+1), make([][]float64, l.Factors+1)
	everybody := newView(l.voters, gp.Units(l.Voters.Points.Len()), nil)
	num.Parallel(l.Factors, 1, func(lo, hi int) {
		for c := lo + 1; c <= hi; c++ {
			l.weight[c], l.spread[c] = l.voter[c].look(everybody)
		}
	})
	b := l.see(num.Indices(len(l.Votes)))
	var divergence float64
	for c := range l.item {
		if l.item[c] != nil {
			divergence += l.item[c].divergence()
		}
		if c > 0 {
			divergence += l.voter[c].divergence()
		}
	}
	l.Objective, l.Bound = -divergence, -divergence
	for k, v := range b.variance() {
		p, count := b.votes[k], b.pairs.count[k]
		e, _, _ := likelihood.Expect(l.scalar(p), b.z[k], v)
		l.Bound += count * e
		g, slope, target := l.observer(p).Observe(b.z[k])
		e, _, _ = likelihood.Gaussian{Y: target, Sd: math.Sqrt(l.noise[p])}.Expect(g, slope*slope*v)
		l.Objective += count * e
	}
}
