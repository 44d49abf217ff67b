package model

import (
	"context"
	"math"

	crowds "palate/crowd"
	"palate/gp"
)

// lengthRounds is how many fits learning length-scales may take.
const lengthRounds = 25

// learnLengths climbs the converged bound in the length-scales of the items'
// kernel, and in the nugget's share of our own, by L-BFGS (CROWD §5), and returns
// the prior at the best.
func (m *Crowd) learnLengths(ctx context.Context, v *crowds.Votes, prior *gp.Prior, settings crowds.Options) (*gp.Prior, error) {
	at := m.kernel.Params()
	var params []parameter
	var which []int
	for k, x := range at {
		p := parameter{m.kernel.ParamNames()[k], x - math.Log(lengthLo), x + math.Log(lengthHi), x}
		if own := m.options.Kernel == nil && m.z == nil; own && k == 0 {
			continue // the scale's business
		} else if own && k == len(at)-1 { // the nugget
			p.lo, p.hi = math.Log(1e-3), math.Log(1e3)
		}
		params, which = append(params, p), append(which, k)
	}
	// The bound of fits that drop factors would jump.
	settings.KeepFactors, settings.Gradient, settings.Progress = true, true, nil
	settings.Tolerance = 1e-5
	round := 0
	start := m.kernel
	with := func(x []float64) (*gp.Prior, error) {
		theta := append([]float64(nil), at...)
		for i, k := range which {
			theta[k] = x[i]
		}
		m.kernel = start.With(theta)
		return m.prior()
	}
	best, err := maximise(ctx, params, 1e-3*math.Sqrt(float64(v.Len())), lengthRounds, func(x []float64) (float64, []float64, error) {
		p, err := with(x)
		if err != nil {
			return 0, nil, err
		}
		l, err := crowds.Fit(ctx, v, p, &settings)
		if err != nil {
			return 0, nil, err
		}
		value := l.Trace[len(l.Trace)-1]
		grad := make([]float64, len(x))
		for i, k := range which {
			d := (x[i] - params[i].at) / pull
			value -= 0.5 * d * d
			grad[i] = l.KernelGrad[k] - d/pull
		}
		if round++; m.options.Progress != nil {
			m.options.Progress(Progress{Stage: "learning length-scales", Round: round, Objective: value})
		}
		return value, grad, nil
	})
	if ctx.Err() != nil || err != nil {
		m.kernel = start
		return prior, err
	}
	return with(best)
}
