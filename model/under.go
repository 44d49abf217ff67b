package model

import (
	"context"
	"fmt"

	"palate/internal/num"
	"palate/kernel"
)

// Under returns the model of the same votes under another kernel over its items, so that kernels
// in numbers are gone through in little time. Nothing is learnt anew: the scale is integrated
// out in draws and in the evidence, and at what it was elsewhere, and thresholds, tastes and
// sides stay as they were learnt. It takes a weight an item.
func (m *Single) Under(ctx context.Context, k kernel.Kernel) (*Single, error) {
	if m.kernel == nil || m.z != nil || m.own {
		return nil, fmt.Errorf("model: there is no kernel with a weight an item to put another in the place of")
	}
	p, err := m.prior(k)
	if err != nil {
		return nil, err
	}
	u := *m
	u.kernel, u.settled, u.gain = k, true, nil
	u.grid, u.open = &num.Lazy[*scales]{}, &openKernel{}
	g := &gridding{m: &u, sides: m.voting.sides, prior: p}
	_, r := g.try(ctx, m.result.Posterior.Scale, m.dependence.Taste, m.result.Sites)
	if r == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("model: the votes cannot be inferred under this kernel")
	}
	if r.Posterior, err = rescaled(r.Posterior, m.dependence.unit()); err != nil {
		return nil, err
	}
	u.result = r
	return &u, nil
}

// Evidence is the log evidence of the votes with all that draws integrate out integrated out,
// up to a constant that models of the same votes share.
func (m *Single) Evidence(ctx context.Context) (float64, error) {
	s, err := m.scales(ctx)
	if err != nil {
		return 0, err
	}
	return s.evidence, nil
}
