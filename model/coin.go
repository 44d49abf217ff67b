package model

import (
	"context"

	"palate/gp"
	"palate/infer"
)

// noScale is an inverse scale at which items are all but the same.
const noScale = 1e8

// mayBeCoins reports whether the prior gives votes that are no better than coins a share of
// their own, which takes a grid of scales over independent items: with features or links, more
// items than a grid is made for, or a scale or a prior of it that was given, it does not.
func (m *Single) mayBeCoins() bool {
	o := &m.options
	return m.kernel == nil && m.links == nil && !m.own && len(m.ids) <= scaleWeights && o.Scale == 0 && o.ScalePrior == (infer.Gamma{}) && m.rule().Kind() == infer.LogEvidence
}

// overCoins returns by how many nats the evidence of the fit, at the scale that was
// learnt, exceeds that of items that do not differ: votes of which it does not are no
// better than coins. It is nil where there is no log evidence to compare, items are
// many, or draws weigh it in.
func (m *Single) overCoins(ctx context.Context, p *gp.Prior, v voting, taste float64, r *infer.Result) (*float64, error) {
	if m.coins || r.Kind != infer.LogEvidence || m.own || m.options.Scale != 0 || p.Dim() > scaleWeights || p.Sparse() {
		return nil, nil
	}
	even, err := infer.Run(ctx, m.problem(p, noScale, v, taste), &infer.Settings{Rule: m.rule(), Tolerance: 1e-4})
	if err != nil {
		return nil, err
	}
	gain := r.Objective - even.Objective
	return &gain, nil
}
