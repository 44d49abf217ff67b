package model

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
)

// scales are inverse scales around the one that was learnt, at which a Single is
// drawn from: utilities are only as certain as their scale. The scale is
// integrated on this grid, under its own prior.
type scales struct {
	at    []*gp.Posterior
	sites [][]gp.Site
	prior []float64 // log shares before the votes
	mass  []float64 // shares after them, by evidence
	share []float64 // of the draws: half by mass, half evenly
}

// The grid goes out in steps of a deviation of the log scale, within these
// bounds, to where its density has fallen by so much in logarithm, or for so many
// steps. Below the least deviation the scale is as good as known, and above the most
// weights the grid takes long.
const (
	knownScale       = 0.05
	minStep, maxStep = 0.1, 1.0
	scaleDrop        = 5
	maxScales        = 10
	scaleWeights     = 1000
)

// scales returns the grid, which is found when first drawn from.
func (m *Single) scales(ctx context.Context) (*scales, error) { return m.grid.Get(ctx, m.findScales) }

// findScales returns the grid; one scale alone where that was given, with many
// weights, and on inducing points, whose residual is drawn at the learnt scale.
func (m *Single) findScales(ctx context.Context) (*scales, error) {
	q := m.result.Posterior
	one := &scales{at: []*gp.Posterior{q}, sites: [][]gp.Site{m.result.Sites}, prior: []float64{0}, mass: []float64{1}, share: []float64{1}}
	if m.options.Scale != 0 || q.Prior.Sparse() || q.Prior.Owned() || q.Prior.Dim() > scaleWeights {
		return one, nil
	}
	step := m.scaleDeviation()
	if step < knownScale {
		return one, nil
	}
	step = min(max(step, minStep), maxStep)
	s := &scales{}
	var height []float64
	top := math.Inf(-1)
	try := func(scale float64, start []gp.Site) ([]gp.Site, bool) {
		r, err := infer.Run(ctx, m.problem(q.Prior, scale, m.voting), &infer.Settings{Rule: m.rule(), Tolerance: m.tolerance(), Start: start})
		if err != nil {
			return nil, false
		}
		lp, _ := m.scalePrior().logDensity(math.Log(scale))
		h := r.Objective + lp
		if h < top-scaleDrop {
			return nil, false
		}
		top = max(top, h)
		s.at, s.sites, s.prior, height = append(s.at, r.Posterior), append(s.sites, r.Sites), append(s.prior, lp), append(height, h)
		return r.Sites, true
	}
	first, ok := try(q.Scale, m.result.Sites)
	for _, by := range []float64{-step, step} {
		sites, ok := first, ok
		for k := 1.0; ok && k <= maxScales; k++ {
			sites, ok = try(q.Scale*math.Exp(k*by), sites)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.at) < 2 {
		return one, nil
	}
	total := num.LogSumExp(height)
	for _, h := range height {
		mass := math.Exp(h - total)
		s.mass = append(s.mass, mass)
		s.share = append(s.share, 0.5*mass+0.5/float64(len(height)))
	}
	return s, nil
}

// scaleDeviation is that of log s, by how the evidence bends with the sites held.
func (m *Single) scaleDeviation() float64 {
	q := m.result.Posterior
	d := float64(q.Prior.Dim())
	height := func(by float64) float64 {
		p, err := gp.NewPosterior(q.Prior, q.Scale*math.Exp(by), q.Evidence())
		if err != nil {
			return math.NaN()
		}
		lp, _ := m.scalePrior().logDensity(math.Log(p.Scale))
		return lp + 0.5*(d*math.Log(p.Scale)-p.LogDet()+p.Pull())
	}
	const h = 0.1
	curve := (2*height(0) - height(h) - height(-h)) / (h * h)
	if !(curve > 0) {
		return math.Inf(1)
	}
	return 1 / math.Sqrt(curve)
}

// draws turns standard normals, one a weight, into draws of utilities and
// weights, a row each, and says which scale each has: pairs of rows, one of them
// widened, have the same.
func (s *scales) draws(ctx context.Context, white *mat.Dense, rng *rand.Rand) (f, e *mat.Dense, of []int, err error) {
	n, d := white.Dims()
	of = make([]int, n)
	if len(s.at) == 1 {
		f, e, err = s.at[0].Draws(ctx, white, rng)
		return f, e, of, err
	}
	f, e = mat.NewDense(n, s.at[0].Prior.Len(), nil), mat.NewDense(n, d, nil)
	var sum float64
	lo := 0
	for k, q := range s.at {
		sum += s.share[k]
		hi := min(2*int(math.Round(0.5*float64(n)*sum)), n)
		if k == len(s.at)-1 {
			hi = n
		}
		if lo == hi {
			continue
		}
		for r := lo; r < hi; r++ {
			of[r] = k
		}
		fk, ek, err := q.Draws(ctx, white.Slice(lo, hi, 0, d).(*mat.Dense), rng)
		if err != nil {
			return nil, nil, nil, err
		}
		f.Slice(lo, hi, 0, q.Prior.Len()).(*mat.Dense).Copy(fk)
		e.Slice(lo, hi, 0, d).(*mat.Dense).Copy(ek)
		lo = hi
	}
	return f, e, of, nil
}

// logRatio is the log of prior over proposal at weights e, up to a constant, given
// minus the log density that the sites of each scale give them. The proposal is,
// at every scale, the even mixture of the Gaussian and the widened one: with the
// sum of squares Q = s|e|² − 2(hᵀe − eᵀHe/2) + hᵀm of the normals behind e,
// |sI+H|^½·(e^{−Q/2} + c^−d e^{−Q/2c²})/2, c being the factor.
func (s *scales) logRatio(e, surprise []float64) float64 {
	var norm2 float64
	for _, x := range e {
		norm2 += x * x
	}
	d := float64(len(e))
	prior, proposal := make([]float64, len(s.at)), make([]float64, 2*len(s.at))
	for k, q := range s.at {
		prior[k] = s.prior[k] + 0.5*(d*math.Log(q.Scale)-q.Scale*norm2)
		square := q.Scale*norm2 + 2*surprise[k] + q.Pull()
		share := math.Log(0.5*s.share[k]) + 0.5*q.LogDet()
		proposal[2*k], proposal[2*k+1] = share-0.5*square, share-0.5*square/(widen*widen)-d*math.Log(widen)
	}
	return num.LogSumExp(prior) - num.LogSumExp(proposal)
}
