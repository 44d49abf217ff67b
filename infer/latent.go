package infer

import (
	"math"

	"palate/gp"
	"palate/internal/num"
	"palate/likelihood"
)

// addition is what a row that is added to a problem ties on the graph of comparisons:
// Gaussian differences, between nodes of which some are no items.
type addition uint8

const (
	link   addition = iota // two spread parts of linked items
	share                  // an item and its spread part: what it has of its own
	own                    // an item and what a group makes of it
	repeat                 // one of these and the answers that a group repeats
	noise                  // an item, or what a group makes of it, and what an answer draws
)

// hasFurtherNodes reports whether the problem has further nodes on the graph of comparisons.
func (p *Problem) hasFurtherNodes() bool { return p.Effects.any() || p.Prior.Spread() != nil }

// latent returns the problem on a graph in which linked items have spread parts and every
// group has items of its own. They are further items, tied by Gaussian rows that come
// after those of p, and what these are.
func (p *Problem) latent() (out *Problem, added []addition) {
	rows := p.Rows.Len()
	with := *p
	out = &with
	out.Effects = nil
	out.Rows = &gp.Rows{}
	var near gp.Rows // the Gaussian rows of groups
	first := p.Prior.Nodes()
	next := first
	groups := []addition{}
	beside := func(item int, what addition) int {
		near.AppendPair(next, item)
		groups = append(groups, what)
		next++
		return next - 1
	}
	item, pair, drawn := map[int]int{}, map[[2]int]int{}, map[int]int{}
	e := p.Effects
	for r := range rows {
		index, coef := p.Rows.Row(r)
		if !e.any() || e.group(r) < 0 && e.answer(r) < 0 {
			out.Rows.Append(index, coef)
			continue
		}
		if r == 0 || e.group(r-1) != e.group(r) {
			clear(item)
			clear(pair)
		}
		if r == 0 || e.answer(r-1) != e.answer(r) {
			clear(drawn)
		}
		at := [2]int{min(index[0], index[1]), max(index[0], index[1])}
		key := at
		if e.Own > 0 && e.group(r) >= 0 {
			for k, i := range at {
				if _, ok := item[i]; !ok {
					item[i] = beside(i, own)
				}
				at[k] = item[i]
			}
		}
		if e.answer(r) >= 0 {
			for k, i := range at {
				if _, ok := drawn[i]; !ok {
					drawn[i] = beside(i, noise)
				}
				at[k] = drawn[i]
			}
		} else if e.Repeat > 0 {
			if _, ok := pair[key]; !ok {
				pair[key] = beside(at[0], repeat)
			}
			at[0] = pair[key]
		}
		if index[0] > index[1] {
			at[0], at[1] = at[1], at[0]
		}
		out.Rows.Append(at[:], coef)
	}
	out.Prior = p.Prior.Latent(next - first)
	if s := p.Prior.Spread(); s != nil {
		ties := s.Rows()
		for r := range ties.Len() {
			out.Rows.Append(ties.Row(r))
			what := link
			if r >= s.Len() {
				what = share
			}
			added = append(added, what)
		}
	}
	for r := range near.Len() {
		out.Rows.Append(near.Row(r))
	}
	added = append(added, groups...)
	out.Likelihood = append(append(make([]likelihood.Scalar, 0, rows+len(added)), p.Likelihood...), gaussians(p.addedSites(added))...)
	if p.Count != nil {
		out.Count = append(make([]float64, 0, rows+len(added)), p.Count...)
		for range added {
			out.Count = append(out.Count, 1)
		}
	}
	return out, added
}

// addedSites are those of the rows that latent adds.
func (p *Problem) addedSites(added []addition) []gp.Site {
	sites := make([]gp.Site, len(added))
	var prec []float64
	if p.Prior.Spread() != nil {
		prec = p.Prior.Spread().Precisions()
	}
	for r, what := range added {
		switch what {
		case link, share:
			sites[r].Tau = p.scale() * prec[r]
		case own:
			sites[r].Tau = 1 / p.Effects.Own
		case repeat:
			sites[r].Tau = 1 / p.Effects.Repeat
		case noise:
			sites[r].Tau = 1 / p.Effects.Noise
		}
	}
	return sites
}

// gaussians are the likelihoods of differences of which no more is known than their
// precision.
func gaussians(sites []gp.Site) []likelihood.Scalar {
	out := make([]likelihood.Scalar, len(sites))
	for r, s := range sites {
		if r > 0 && s.Tau == sites[r-1].Tau {
			out[r] = out[r-1]
		} else {
			out[r] = likelihood.Gaussian{Sd: math.Sqrt(1 / s.Tau)}
		}
	}
	return out
}

// additions calls f with every pair that was added. It is one where it joins a further
// item to what it is beside.
func (g *Graph) additions(f func(k int, row int32, what addition)) {
	if g.added == nil {
		return
	}
	rows := int32(g.given.Rows.Len())
	for k := range g.site {
		if r := g.pairs.RowsOf(k)[0]; r >= rows {
			f(k, r, g.added[r-rows])
		}
	}
}

// OwnSlope returns the derivative of the evidence in the logarithm of the variance of what
// groups have of their own, at sites that have settled, and about how fast it falls.
func (g *Graph) OwnSlope() (slope, bend float64) { return g.slopeOf(own) }

// ShareSlope is OwnSlope of what linked items have of their own.
func (g *Graph) ShareSlope() (slope, bend float64) { return g.slopeOf(share) }

func (g *Graph) slopeOf(kind addition) (slope, bend float64) {
	g.additions(func(k int, _ int32, what addition) {
		if what == kind {
			m, v := g.marginal(k)
			t := g.site[k].Tau
			slope += 0.5 * (t*(m*m+v) - 1)
			bend += 0.5 * (1 - t*v) * (1 - t*v)
		}
	})
	return slope, bend
}

// RidgeSlope returns the derivative of the evidence in the logarithm of the ridge of a prior
// along links, at sites that have settled, and about how fast it falls.
func (g *Graph) RidgeSlope() (slope, bend float64) {
	s := g.given.Prior.Spread()
	trace := s.Trace(s.Ridge, g.solved)
	slope = 0.5 * trace
	var known float64
	for i, p := range g.l.Own() {
		if p > 0 {
			v := g.variance(i)
			slope -= 0.5 * p * (g.mean[i]*g.mean[i] + v)
			known += p * v
		}
	}
	known = 1 - known/trace // of what the prior leaves open
	return slope, 0.5 * trace * trace / float64(g.given.Prior.Len()) * known
}

// restrict leaves in a result only what was given: the further items have no place there.
func (g *Graph) restrict(r *Result) {
	rows := g.given.Rows.Len()
	r.Posterior = r.Posterior.First(g.given.Prior)
	r.Sites, r.forms, r.updates, r.problem = r.Sites[:rows], r.forms[:rows], nil, g.given
}

// EffectDeviations returns the deviations of effects of a context that were learnt with the
// likelihoods, c_k ~ N(0, spread_k), by their number: those of the Gaussian that the sites
// leave of utilities and effects together. An effect of spread 0 is not there. Utilities
// themselves are known as if the effects were.
func (g *Graph) EffectDeviations(context *gp.Rows, spread []float64) []float64 {
	place := make([]int, len(spread))
	n := 0
	for k, v := range spread {
		if place[k] = -1; v > 0 {
			place[k] = n
			n++
		}
	}
	cross, precision := make([]float64, g.e.Prior.Len()*n), make([]float64, n*n)
	for r := range context.Len() {
		index, coef := g.e.Rows.Row(r)
		effect, x := context.Row(r)
		t := g.e.count(r) * g.e.sites[r].Tau
		for i, k := range effect {
			a := place[k]
			if a < 0 {
				continue
			}
			for j, item := range index {
				cross[item*n+a] += t * x[i] * coef[j]
			}
			for j, l := range effect {
				if b := place[l]; b >= 0 {
					precision[a*n+b] += t * x[i] * x[j]
				}
			}
		}
	}
	known := make([]float64, len(cross))
	g.l.Solve(known, cross, n, 1e-8)
	for i := range g.e.Prior.Len() {
		for a := range n {
			for b := range n {
				precision[a*n+b] -= cross[i*n+a] * known[i*n+b]
			}
		}
	}
	for k, a := range place {
		if a >= 0 {
			precision[a*n+a] += 1 / spread[k]
		}
	}
	cov := make([]float64, n*n)
	if _, ok := num.Invert(cov, precision, n); !ok {
		panic("infer: effects have a covariance that is not positive definite")
	}
	out := make([]float64, len(spread))
	for k, a := range place {
		if a >= 0 {
			out[k] = math.Sqrt(cov[a*n+a])
		}
	}
	return out
}
