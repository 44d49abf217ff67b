package infer

import (
	"math"

	"palate/gp"
	"palate/likelihood"
)

// besides returns the problem on a graph in which every group has items of its own. They
// are further items of which nothing is known but how far they are from the
// others, which Gaussian rows say that come after those of p. It returns the
// sites of these rows too, and which are of answers that repeat.
func (e *Effects) besides(p *Problem) (out *Problem, sites []gp.Site, again []bool) {
	n, rows := p.Prior.Len(), p.Rows.Len()
	with := *p
	out = &with
	out.Effects = nil
	out.Rows = &gp.Rows{}
	var near gp.Rows // the Gaussian rows
	var links []likelihood.Scalar
	next := n
	beside := func(item int, v float64, repeat bool) int {
		near.AppendPair(next, item)
		links, sites = append(links, likelihood.Gaussian{Sd: math.Sqrt(v)}), append(sites, gp.Site{Tau: 1 / v})
		again = append(again, repeat)
		next++
		return next - 1
	}
	item, pair := map[int]int{}, map[[2]int]int{}
	for r := range rows {
		index, coef := p.Rows.Row(r)
		if e.Group[r] < 0 {
			out.Rows.Append(index, coef)
			continue
		}
		if r == 0 || e.Group[r-1] != e.Group[r] {
			clear(item)
			clear(pair)
		}
		at := [2]int{min(index[0], index[1]), max(index[0], index[1])}
		key := at
		if e.Own > 0 {
			for k, i := range at {
				if _, ok := item[i]; !ok {
					item[i] = beside(i, e.Own, false)
				}
				at[k] = item[i]
			}
		}
		if e.Repeat > 0 {
			if _, ok := pair[key]; !ok {
				pair[key] = beside(at[0], e.Repeat, true)
			}
			at[0] = pair[key]
		}
		if index[0] > index[1] {
			at[0], at[1] = at[1], at[0]
		}
		out.Rows.Append(at[:], coef)
	}
	for r := range near.Len() {
		out.Rows.Append(near.Row(r))
	}
	out.Likelihood = append(append(make([]likelihood.Scalar, 0, rows+len(links)), p.Likelihood...), links...)
	if p.Count != nil {
		out.Count = append(make([]float64, 0, rows+len(links)), p.Count...)
		for range links {
			out.Count = append(out.Count, 1)
		}
	}
	out.Prior = p.Prior.Beside(next - n)
	return out, sites, again
}

// links calls f with every pair that a group's addition makes, and whether it is of
// answers that repeat. It is one where it joins a further item to what it is beside.
func (g *Graph) links(f func(k int, row int32, repeat bool)) {
	rows := int32(g.given.Rows.Len())
	for k := range g.site {
		if r := g.pairs.RowsOf(k)[0]; r >= rows {
			f(k, r, g.again[r-rows])
		}
	}
}

// SetEffects changes the variances of what groups have beside, for Settle to go on from
// where it was. None of them may be zero that was not, or the other way round.
func (g *Graph) SetEffects(own, repeat float64) {
	g.links(func(k int, row int32, again bool) {
		v := own
		if again {
			v = repeat
		}
		g.e.Likelihood[row] = likelihood.Gaussian{Sd: math.Sqrt(v)}
		g.e.sites[row] = gp.Site{Tau: 1 / v}
		g.site[k] = g.e.sites[row]
	})
	g.e.result.Stats.Sweeps = 0
	g.spread(1e-6)
}

// OwnSlope returns the derivative of the evidence in the logarithm of the variance of what
// groups have of their own, at sites that have settled, and about how fast it falls.
func (g *Graph) OwnSlope() (slope, bend float64) {
	g.links(func(k int, _ int32, again bool) {
		if !again {
			m, v := g.marginal(k)
			t := g.site[k].Tau
			slope += 0.5 * (t*(m*m+v) - 1)
			bend += 0.5 * (1 - t*v) * (1 - t*v)
		}
	})
	return slope, bend
}

// alone leaves in a result only what was given: the further items have no place there.
func (g *Graph) alone(r *Result) {
	rows := g.given.Rows.Len()
	r.Posterior = r.Posterior.First(g.given.Prior)
	r.Sites, r.forms, r.updates, r.problem = r.Sites[:rows], r.forms[:rows], nil, g.given
}
