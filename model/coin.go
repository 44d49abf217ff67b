package model

import (
	"context"

	"palate/gp"
	"palate/infer"
)

// noScale is an inverse scale at which items are all but the same.
const noScale = 1e8

// overCoins returns by how many nats the evidence of the fit, at the scale that was
// learnt, exceeds that of items that do not differ: votes of which it does not are no
// better than coins. It is nil where there is no log evidence to compare, or items are
// many.
func (m *Single) overCoins(ctx context.Context, p *gp.Prior, v voting, taste float64, r *infer.Result) (*float64, error) {
	if r.Kind != infer.LogEvidence || m.own || m.options.Scale != 0 || p.Dim() > scaleWeights || p.Sparse() {
		return nil, nil
	}
	even, err := infer.Run(ctx, m.problem(p, noScale, v, taste), &infer.Settings{Rule: m.rule(), Tolerance: 1e-4})
	if err != nil {
		return nil, err
	}
	gain := r.Objective - even.Objective
	return &gain, nil
}
