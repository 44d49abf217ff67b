package infer

import (
	"fmt"

	"palate/gp"
	"palate/likelihood"
)

// Problem is a prior and what was observed under it.
type Problem struct {
	Prior *gp.Prior
	Rows  *gp.Rows
	// Likelihood of every row.
	Likelihood []likelihood.Scalar
	// Count says how many times each row was observed; nil: once. A weight
	// below one belongs into likelihood.Power.
	Count []float64
	// Effects, if set, are what rows of one group share beside the utilities. Only EP
	// and Batch take them.
	Effects *Effects
	// Scale is the inverse scale s of the prior covariance; 0 stands for 1.
	Scale float64
	// ScalePrior, if set, gives s a Gamma prior and a Gamma posterior of its
	// own, started at Scale (CROWD (15)). Only rules with a lower bound can
	// learn s so, and on inducing points only Linearised, as published; else
	// maximise the objective over Scale.
	ScalePrior *Gamma
}

func (p *Problem) count(r int) float64 {
	if p.Count == nil {
		return 1
	}
	return p.Count[r]
}

func (p *Problem) scale() float64 {
	if p.Scale == 0 {
		return 1
	}
	return p.Scale
}

// priorScale is the inverse scale at which prior variances are taken. Where s is learnt it is
// the mean of its prior, not E[s] as it is now: what the prior decides, such as Q of CROWD
// (9), no vote revises.
func (p *Problem) priorScale() float64 {
	if p.ScalePrior != nil {
		return p.ScalePrior.Mean()
	}
	return p.scale()
}

func (p *Problem) check(rule Rule) error {
	n := p.Rows.Len()
	if len(p.Likelihood) != n || (p.Count != nil && len(p.Count) != n) {
		panic(fmt.Sprintf("infer: %d rows, %d likelihoods, %d counts", n, len(p.Likelihood), len(p.Count)))
	}
	if !(p.scale() > 0) {
		return fmt.Errorf("infer: scale %g is not positive", p.Scale)
	}
	if p.ScalePrior != nil && rule.Kind() != LowerBound {
		return fmt.Errorf("infer: a posterior of the scale needs a rule with a lower bound, not %T", rule)
	}
	if _, linearised := rule.(Linearised); p.ScalePrior != nil && p.Prior.Sparse() && !linearised {
		return fmt.Errorf("infer: on inducing points the residual depends on the scale too, which CROWD (15) leaves out: maximise the objective over Scale instead")
	}
	if p.Effects != nil && p.Effects.context() > 0 && p.Prior.Owned() {
		return fmt.Errorf("infer: effects of the context are integrated out on a prior with a weight an item only")
	}
	if p.Effects != nil && (rule.Kind() != LogEvidence || p.Prior.Sparse() || p.Prior.Owned() && !independent(p.Prior)) {
		return fmt.Errorf("infer: effects of groups are integrated out by EP, on a prior with a weight an item")
	}
	if p.Effects != nil && p.Prior.Owned() {
		for r, a := range p.Effects.Answer {
			if a >= 0 && p.count(r) > 1 {
				return fmt.Errorf("infer: along the graph of comparisons answer %d is to be there as often as it was given, not once and counted %g times", a, p.count(r))
			}
		}
	}
	var last likelihood.Scalar
	for r, l := range p.Likelihood {
		if l == nil {
			panic(fmt.Sprintf("infer: row %d has no likelihood", r))
		}
		if l == last {
			continue
		}
		if err := rule.Check(l); err != nil {
			return err
		}
		last = l
	}
	for r, c := range p.Count {
		if !(c >= 1) {
			return fmt.Errorf("infer: row %d is counted %g times; weights below one belong into likelihood.Power", r, c)
		}
	}
	return nil
}
