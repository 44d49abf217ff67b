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

// scales are inverse scales around the one that was learnt, where voters are told
// apart deviations of their tastes, and what sides may do, at which a Single is drawn from: utilities are only
// as certain as their scale. All are integrated on this grid, under their own priors.
type scales struct {
	at      []*gp.Posterior // in units of a new voter's vote
	sites   [][]gp.Site
	sides   []Sides
	given   []*infer.Context // what is known of effects given the utilities, in units of a vote; nil: there are none
	average []*infer.Average // where draws are about the voters: what is known of their mean given the utilities, in units of a vote; nil: nothing is their own
	unit    []float64        // unit of a new voter's vote, in units of a vote
	alike   []bool           // where items do not differ
	prior   []float64        // log shares before the votes
	mass    []float64        // shares after them, by evidence
	share   []float64        // of the draws: half by mass, half evenly

	kept keptChances // that are means over the grid

	evidence float64 // log evidence with all of it integrated out, up to a constant of the votes
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
func (m *Single) scales(ctx context.Context) (*scales, error) {
	return m.grid.Get(ctx, func(ctx context.Context) (*scales, error) { return m.findScales(ctx, false) })
}

// findScales returns the grid, for draws about people or about the voters; one scale alone where that was given, with many
// weights, and on inducing points, whose residual is drawn at the learnt scale.
func (m *Single) findScales(ctx context.Context, voters bool) (*scales, error) {
	q := m.result.Posterior
	one := &scales{alike: []bool{false}, at: []*gp.Posterior{q}, sites: [][]gp.Site{m.result.Sites}, sides: []Sides{m.voting.sides}, given: []*infer.Context{nil}, prior: []float64{0}, mass: []float64{1}, share: []float64{1}, evidence: m.result.Objective}
	if q.Prior.Sparse() || q.Prior.Owned() || q.Prior.Dim() > scaleWeights {
		return one, nil
	}
	step := 0.0
	if m.options.Scale == 0 {
		step = m.scaleDeviation()
		unit := m.dependence.unit()
		lp, _ := m.scalePrior().logDensity(math.Log(q.Scale * unit * unit))
		one.evidence += lp + math.Log(min(step, maxStep)*math.Sqrt(2*math.Pi))
	}
	if (step < knownScale && m.obs.group == nil || m.options.Scale != 0) && m.obs.context == nil && !voters {
		return one, nil
	}
	g := &gridding{m: m, prior: q.Prior, voters: voters, step: min(max(step, minStep), maxStep), one: step < knownScale, top: math.Inf(-1)}
	candidates := m.voting.candidates(m.obs)
	if m.settled {
		candidates = candidates[:1]
	}
	for _, sides := range candidates {
		if ctx.Err() != nil {
			break
		}
		if g.sides = sides; len(g.s.at) > 0 {
			if h, _ := g.try(ctx, q.Scale, m.dependence.Taste, m.result.Sites); h < g.best-scaleDrop {
				continue
			}
		}
		if m.obs.group == nil || m.options.Scale != 0 || m.settled {
			g.row(ctx, m.dependence.Taste, 0, m.result.Sites)
		} else {
			g.tastes(ctx)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(g.s.at) == 0 || len(g.s.at) < 2 && m.obs.context == nil && !voters {
		return one, nil
	}
	total := num.LogSumExp(g.height)
	if g.s.evidence = total + math.Log(g.step); g.one {
		g.s.evidence = total + math.Log(step*math.Sqrt(2*math.Pi))
	}
	for _, h := range g.height {
		mass := math.Exp(h - total)
		g.s.mass = append(g.s.mass, mass)
		g.s.share = append(g.s.share, 0.5*mass+0.5/float64(len(g.height)))
	}
	return &g.s, nil
}

// gridding is a grid in the making.
type gridding struct {
	m      *Single
	prior  *gp.Prior
	s      scales
	height []float64 // log density of the nodes times the room around them
	top    float64
	best   float64 // log density at the fit
	sides  Sides
	voters bool    // see TheseVoters
	step   float64 // of log s
	one    bool    // the scale is as good as known
	alike  bool    // items do not differ
	apart  bool    // they do, beyond doubt
}

// row adds the scales at one deviation of tastes, outwards from that of the fit in
// units of a new voter's vote, given the log of the room around the deviation, and
// returns the height at the first and the sites there; −∞ where it is too low. Items that do
// not differ are one scale more.
func (g *gridding) row(ctx context.Context, taste, room float64, start []gp.Site) (float64, []gp.Site) {
	first, sites, ok := g.node(ctx, g.m.result.Posterior.Scale, taste, room, start)
	for _, by := range []float64{-g.step, g.step} {
		near, ok := sites, ok && !g.one
		for k := 1.0; ok && k <= maxScales; k++ {
			_, near, ok = g.node(ctx, g.m.result.Posterior.Scale*math.Exp(k*by), taste, room, near)
		}
	}
	if g.m.coins && !g.one && !g.apart && !math.IsInf(first, -1) {
		g.alike = true
		h, _, _ := g.node(ctx, noScale, taste, room, sites)
		g.alike, g.apart = false, h < first-farBelow
	}
	return first, sites
}

// node adds a scale and a deviation of tastes, and is not ok where both are far less
// likely than others.
func (g *gridding) node(ctx context.Context, scale, taste, room float64, start []gp.Site) (float64, []gp.Site, bool) {
	h, r := g.try(ctx, scale, taste, start)
	if r == nil || h+room < g.top-scaleDrop {
		return h, start, false
	}
	unit := Dependence{Taste: taste}.unit()
	q, err := rescaled(r.Posterior, unit)
	if err != nil {
		return h, start, false
	}
	if len(g.s.at) == 0 {
		g.best = h
	}
	if !g.alike { // else scales would be left out that intervals are about
		g.top = max(g.top, h+room)
	}
	lp := g.logPrior(scale * unit * unit)
	g.s.at, g.s.sites, g.s.prior, g.height = append(g.s.at, q), append(g.s.sites, r.Sites), append(g.s.prior, lp+math.Log(sideShares[g.sides])), append(g.height, h+room)
	if g.voters {
		g.s.average, g.s.unit = append(g.s.average, r.Average()), append(g.s.unit, unit)
	}
	var given *infer.Context
	if g.m.obs.context != nil {
		given = r.Context()
	}
	g.s.alike = append(g.s.alike, g.alike)
	g.s.sides, g.s.given = append(g.s.sides, g.sides), append(g.s.given, given)
	return h, r.Sites, true
}

// logPrior is the log density of the log of a scale; where items do not differ, the log of the
// probability of that by the room around a scale.
func (g *gridding) logPrior(scale float64) float64 {
	if g.alike {
		return math.Log(coinShare / (1 - coinShare) / g.step)
	}
	lp, _ := g.m.scalePrior().logDensity(math.Log(scale))
	return lp
}

// try returns the log density at a scale, in units of a new voter's vote, and a
// deviation of tastes.
func (g *gridding) try(ctx context.Context, scale, taste float64, start []gp.Site) (float64, *infer.Result) {
	m := g.m
	unit := Dependence{Taste: taste}.unit()
	v := m.voting
	v.sides = g.sides
	v.threshold /= unit
	scale *= unit * unit
	r, err := infer.Run(ctx, m.problem(g.prior, scale, v, taste), &infer.Settings{Rule: m.rule(), Tolerance: m.gridTolerance(), Start: start})
	if err != nil {
		return math.Inf(-1), nil
	}
	h := r.Objective + g.logPrior(scale)
	switch {
	case taste > 0:
		lp, _ := logTastePrior(2 * math.Log(taste))
		h += lp
	case m.obs.group != nil:
		h += math.Log(pooledShare)
	}
	if m.obs.sided {
		h += math.Log(sideShares[g.sides])
		if g.sides == VoterSides {
			lp, _ := logLeanPrior(2 * math.Log(v.lean))
			h += lp
		}
	}
	return h, r
}

// tastes adds rows of the grid around the deviation of tastes that was learnt, in steps
// of a deviation of its logarithm, and one for voters without tastes of their own.
func (g *gridding) tastes(ctx context.Context) {
	taste, scale, sites := g.m.dependence.Taste, g.m.result.Posterior.Scale, g.m.result.Sites
	const h = 0.2
	middle, _ := g.try(ctx, scale, taste, sites)
	up, _ := g.try(ctx, scale, taste*math.Exp(h), sites)
	down, _ := g.try(ctx, scale, taste*math.Exp(-h), sites)
	deviation := math.Inf(1)
	if curve := (2*middle - up - down) / (h * h); curve > 0 {
		deviation = 1 / math.Sqrt(curve)
	}
	if deviation < knownScale {
		g.row(ctx, taste, math.Log(2*deviation*math.Sqrt(2*math.Pi)), sites)
	} else {
		step := min(max(deviation, minStep), maxStep)
		room := math.Log(2 * step) // of the logarithm of the variance
		_, first := g.row(ctx, taste, room, sites)
		for _, by := range []float64{-step, step} {
			near := first
			for k := 1.0; k <= maxTastes && taste*math.Exp(k*by) > tasteLo; k++ {
				height, next := g.row(ctx, taste*math.Exp(k*by), room, near)
				if near = next; height+room < g.top-scaleDrop {
					break
				}
			}
		}
	}
	if h, _ := g.try(ctx, scale, 0, sites); h > g.top-scaleDrop {
		g.row(ctx, 0, 0, sites)
	}
}

// maxTastes bounds the steps of tastes.
const maxTastes = 8

// scaleDeviation is that of log s, by how the evidence bends with the sites held.
func (m *Single) scaleDeviation() float64 {
	q := m.result.Posterior
	d := float64(q.Prior.Dim())
	height := func(by float64) float64 {
		p, err := gp.NewPosterior(q.Prior, q.Scale*math.Exp(by), q.Evidence())
		if err != nil {
			return math.NaN()
		}
		unit := m.dependence.unit()
		lp, _ := m.scalePrior().logDensity(math.Log(p.Scale * unit * unit))
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

// logRatio is the log of prior over proposal at weights e and effects c, at the scales of
// some sides, up to a constant, given
// minus the log density that the sites of each scale give them. The proposal is,
// at every scale, the even mixture of the Gaussian and the widened one: with the
// sum of squares Q = s|e|² + cᵀS⁻¹c − 2(hᵀx − xᵀHx/2) + hᵀm of the normals behind both, x,
// |sI+H|^½·(e^{−Q/2} + w^−d e^{−Q/2w²})/2, w being the factor and d all dimensions.
func (s *scales) logRatio(sides Sides, e, c, surprise []float64) float64 {
	var norm2 float64
	for _, x := range e {
		norm2 += x * x
	}
	d := float64(len(e))
	prior, proposal := make([]float64, 0, len(s.at)), make([]float64, 0, 2*len(s.at))
	for k, q := range s.at {
		if s.sides[k] != sides {
			continue
		}
		own, all, square := 0.0, d, q.Scale*norm2+2*surprise[k]+q.Pull()
		share := math.Log(0.5*s.share[k]) + 0.5*q.LogDet()
		if g := s.given[k]; g != nil {
			for a, at := range g.There {
				own += c[at] * c[at] / g.Spread[a]
			}
			all += float64(len(g.There))
			square += own + g.Pull()
			share += 0.5 * g.LogDet()
		}
		prior = append(prior, s.prior[k]+0.5*(d*math.Log(q.Scale)-q.Scale*norm2-own))
		proposal = append(proposal, share-0.5*square, share-0.5*square/(widen*widen)-all*math.Log(widen))
	}
	return num.LogSumExp(prior) - num.LogSumExp(proposal)
}
