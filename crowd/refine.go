package crowd

import (
	"context"
	"math"

	"palate/infer"
	"palate/internal/num"
)

// refine goes on from the top of the bound with voters inferred by EP: Gaussians of a
// bound are too narrow, which makes scales too small. It climbs the evidence of all
// voters in the means of consensus and factors, less the prior's part of those, and
// finds the scale of all utilities together against the noise of a vote.
func (l *Learnt) refine(ctx context.Context, o *Options) error {
	if l.c == 0 && !l.own { // all factors were pruned
		return nil
	}
	l.propagated = true
	g := newPropagation(ctx, l.engine, 0, 0)
	apart, err := g.fitScale(0)
	if err != nil {
		return err
	}
	for range refineRounds {
		before, _, err := g.all(1, true)
		if err != nil {
			return err
		}
		gain := l.climbMeans(l.lookAtRows(), before, func() float64 {
			e, _, err := g.all(1, false)
			if err != nil { // a step too far, or the end of ctx
				return math.Inf(-1)
			}
			return e
		})
		if _, _, err := g.all(1, true); err != nil {
			return err
		}
		for k := range l.q {
			if k > 0 || l.residual == nil {
				l.scale[k] = l.bestScale(k, 1)
			}
		}
		l.updateOwn()
		l.settleCovariances(l.lookAtRows())
		was := apart
		if apart, err = g.fitScale(apart); err != nil {
			return err
		}
		if gain < o.Tolerance*float64(l.Len()) && math.Abs(apart-was) < scaleStep {
			break
		}
	}
	l.Evidence, _, err = g.all(1, true)
	if l.Voting = g.stats; l.Voting.Unconverged > 0 {
		l.Status = infer.SweepLimit
	}
	return err
}

// refineRounds is how many are made at the most: by then utilities have long been
// where they end.
const refineRounds = 4

// settleCovariances sets those of consensus and factors to what the votes leave.
func (e *engine) settleCovariances(l pull) {
	num.Parallel(e.columns(), 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			e.become(c, e.scale[c].Mean(), e.rowEvidence(l, c))
		}
	})
}

// The scale of all utilities together is sought within a factor of e^±farthest of
// that of the bound, of which it is expected to be within e^±expectedScale; the search
// ends at steps below scaleStep, or after so many. All are of the log variance.
const (
	farthest      = 6
	expectedScale = 2
	scaleStep     = 0.05
	scaleRounds   = 6
)

// fitScale multiplies all utilities by what the evidence and a normal prior about the
// bound's scale make likeliest, by secants. It returns by how much the log variance is
// above the bound's, and is told how much that was before.
func (g *propagation) fitScale(before float64) (float64, error) {
	slope := func(x float64) (float64, error) {
		_, d, err := g.all(math.Exp(x-before), false)
		return d - x/(expectedScale*expectedScale), err
	}
	x, lo, hi := before, -float64(farthest), float64(farthest)
	d, err := slope(x)
	step := math.Copysign(0.5, d)
	for range scaleRounds {
		if err != nil {
			return x, err
		}
		if d > 0 {
			lo = x
		} else {
			hi = x
		}
		next := x + step
		if next <= lo || next >= hi {
			next = 0.5 * (lo + hi)
		}
		step = next - x
		if math.Abs(step) < scaleStep {
			x = next
			break
		}
		old := d
		d, err = slope(next)
		x = next
		if bend := (d - old) / step; bend < 0 {
			step = min(max(-d/bend, -1.5), 1.5)
		} else {
			step = math.Copysign(1.5, d)
		}
	}
	g.stretchAll(math.Exp(x - before))
	return x, err
}

// stretchAll multiplies the variance of everything by x.
func (e *engine) stretchAll(x float64) {
	for k := range e.q {
		e.widen(k, x)
		e.scale[k].Rate *= x
		e.seeColumn(k)
	}
	e.ownScale.Rate *= x
}
