package model

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	crowds "palate/crowd"
	"palate/gp"
	"palate/kernel"
)

// lengthRounds is how many fits learning length-scales may take.
const lengthRounds = 25

// crowdLengths are the parameters of a crowd's kernels that are learnt.
type crowdLengths struct {
	params []parameter
	item   []int // places in params of the items' kernel
	voter  []int // places in params of the voters' kernel
}

// lengthsOf lists what may be learnt of the items' kernel, length-scales and the
// nugget's share of our own, and of the voters'.
func (m *Crowd) lengthsOf() (l crowdLengths) {
	around := func(k kernel.Kernel, i int) parameter {
		x := k.Params()[i]
		return parameter{name: k.ParamNames()[i], lo: x - math.Log(lengthLo), hi: x + math.Log(lengthHi), at: x}
	}
	if m.kernel != nil {
		last := len(m.kernel.Params()) - 1
		for i := range last + 1 {
			p := around(m.kernel, i)
			if rough := m.form.Smoothness == Rough; rough && i == 0 {
				continue // the scale's business
			} else if rough && i == last { // the nugget
				p.lo, p.hi = math.Log(1e-3), math.Log(1e3)
			}
			l.params, l.item = append(l.params, p), append(l.item, i)
		}
	}
	if m.about != nil {
		for i := range m.about.kernel.Params() {
			l.params, l.voter = append(l.params, around(m.about.kernel, i)), append(l.voter, i)
		}
	}
	return l
}

// learnLengths climbs the converged bound in the parameters of both kernels by
// L-BFGS (CROWD §5), and returns the prior of the items at the best; what is known
// of voters follows.
func (m *Crowd) learnLengths(ctx context.Context, d *palate.Dataset, v *crowds.Votes, prior *gp.Prior, to *crowds.Options) (*gp.Prior, error) {
	lengths := m.lengthsOf()
	start, about, known := m.kernel, m.about, to.About
	var voted []bool
	var voters *mat.Dense
	if about != nil {
		voted = whoVoted(d.NumUsers(), v)
		voters = about.points(d.UserFeatures(), voted)
	}
	// The bound of fits that drop factors would jump.
	settings := *to
	settings.KeepFactors, settings.Gradient, settings.Progress = true, true, nil
	settings.Tolerance = 1e-5
	with := func(x []float64) (*gp.Prior, error) {
		if start != nil {
			theta := slices.Clone(start.Params())
			for i, k := range lengths.item {
				theta[k] = x[i]
			}
			m.kernel = start.With(theta)
		}
		if about != nil {
			theta := slices.Clone(about.kernel.Params())
			for i, k := range lengths.voter {
				theta[k] = x[len(lengths.item)+i]
			}
			var err error
			if m.about, err = about.with(theta, voters); err != nil {
				return nil, err
			}
			settings.About = m.about.about(d.UserFeatures())
		}
		if start == nil {
			return prior, nil
		}
		return m.prior()
	}
	gradient := func(l *crowds.Learnt) ([]float64, error) {
		grad := make([]float64, 0, len(lengths.params))
		for _, k := range lengths.item {
			grad = append(grad, l.KernelGrad[k])
		}
		if l.AboutGrad == nil {
			return grad[:len(lengths.params)], nil
		}
		_, cols := l.AboutGrad.Dims()
		slope := mat.NewDense(voters.RawMatrix().Rows, cols, nil)
		k := 0
		for u, ok := range voted {
			if ok {
				slope.SetRow(k, l.AboutGrad.RawRowView(u))
				k++
			}
		}
		g, err := m.about.gradient(slope, voters)
		return append(grad, g...), err
	}
	round := 0
	best, err := maximise(ctx, lengths.params, 0, 1e-3*math.Sqrt(float64(v.Len())), lengthRounds, func(x []float64) (float64, []float64, error) {
		p, err := with(x)
		if err != nil {
			return 0, nil, err
		}
		l, err := crowds.Fit(ctx, v, p, &settings)
		if err != nil {
			return 0, nil, err
		}
		value := l.Trace[len(l.Trace)-1]
		grad, err := gradient(l)
		if err != nil {
			return 0, nil, err
		}
		for i := range x {
			d := (x[i] - lengths.params[i].at) / pull
			value -= 0.5 * d * d
			grad[i] -= d / pull
		}
		if round++; m.options.Progress != nil {
			m.options.Progress(Progress{Stage: "learning length-scales", Round: round, Objective: value})
		}
		return value, grad, nil
	})
	if ctx.Err() != nil || err != nil {
		m.kernel, m.about, to.About = start, about, known
		return prior, err
	}
	prior, err = with(best)
	to.About = settings.About
	return prior, err
}

// Relevances returns the terms of the kernel over the features of items, with their length-scales;
// none where these have weights, or there are none.
func (m *Crowd) Relevances() []kernel.Relevance { return kernel.Relevances(m.kernel) }

// VoterRelevances returns the terms of the kernel over the features of voters, with length-scales in
// units of the features; none without.
func (m *Crowd) VoterRelevances() []kernel.Relevance {
	if m.about == nil {
		return nil
	}
	all := kernel.Relevances(m.about.kernel)
	for i := range all {
		each := make([]float64, len(m.about.width))
		for j, w := range m.about.width {
			each[j] = all[i].Lengths[j%len(all[i].Lengths)] * w
		}
		all[i].Lengths = each
	}
	return all
}
