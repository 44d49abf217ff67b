package infer

import (
	"context"
	"fmt"
	"math"
	"slices"

	"palate/gp"
	"palate/likelihood"
)

// Graph is expectation propagation for independent items (gp.White(n).Own()), on the
// graph of what was compared: a sweep takes O(pairs), and nothing grows with the square
// of the items. It stays open, so that a search over the scale goes on from
// where it was.
//
// A sweep visits the pairs in turn. It takes the two items' messages to each other out of
// what is known of them (gp.Messages), updates the sites of the pair's rows, and
// puts the new messages in. Then precisions are propagated, means are solved for exactly
// by conjugate gradients, and the messages are set to what these means ask for. What
// loops change in variances is a factor a pair: from the constant of each component
// (gp.Common) until Correct finds it from the inverse, which few items allow and which
// does not change by much from there.
type Graph struct {
	e      *engine
	given  *Problem   // without what items and groups have beside
	added  []addition // by further row; nil: there are none
	solved bool       // the trace of the prior along links is from solves
	pairs  *gp.Comparisons
	l      *gp.Laplacian
	m      *gp.Messages
	common *gp.Common
	site   []gp.Site    // of pairs, all their rows together, on the first item less the second
	pull   []float64    // of items: precision times mean, from messages
	say    [][2]float64 // of pairs, as gp.Messages.Tell: precision times mean
	mean   []float64
	factor []float64 // of pairs, of their variance; nil: by component
	item   []float64 // of items, what is added to their variance; nil: by component
	near   bool      // what messages and constants say was found to do
	lin    []float64 // Σ ν b
	tau    []float64
	step   float64
}

// NewGraph begins with the sites of s.Start at the scale of p, whose rule must be EP.
func NewGraph(p *Problem, s Settings) (*Graph, error) {
	given := p
	var added []addition
	if p.hasFurtherNodes() {
		p, added = p.latent()
		s.Start = append(slices.Clip(s.Start), make([]gp.Site, given.Rows.Len()-len(s.Start))...)
		s.Start = append(s.Start, given.addedSites(added)...)
	}
	e, err := newEngine(p, s)
	if err != nil {
		return nil, err
	}
	if !e.onGraph() {
		return nil, fmt.Errorf("infer: a graph of comparisons is for expectation propagation on independent items")
	}
	g := e.graph()
	g.given, g.added = given, added
	return g, nil
}

// onGraph reports whether sweeps go along the graph of comparisons.
func (e *engine) onGraph() bool {
	_, ep := e.Rule.(EP)
	return ep && independent(e.Prior)
}

// independent reports whether items are so, and all of an item its own.
func independent(p *gp.Prior) bool { return p.Owned() && p.Dim() == 0 }

func (e *engine) graph() *Graph {
	e.prepare()
	n := e.Prior.Len()
	g := &Graph{e: e, pairs: e.Prior.Comparisons(e.Rows), step: 1}
	prec := make([]float64, n)
	for i, v := range e.Prior.OwnVariances() {
		prec[i] = e.scale / v
	}
	g.l = g.pairs.Laplacian(prec, e.sites, e.Count)
	g.m, g.common = g.l.NewMessages(), g.pairs.NewCommon()
	k := len(g.pairs.Pairs())
	g.site, g.say, g.tau = make([]gp.Site, k), make([][2]float64, k), make([]float64, k)
	g.pull, g.mean, g.lin = make([]float64, n), make([]float64, n), make([]float64, n)
	for k, p := range g.pairs.Pairs() {
		for _, r := range g.pairs.RowsOf(k) {
			c, at := e.side(int(r), p), e.sites[r]
			g.site[k].Tau += e.count(int(r)) * c * c * at.Tau
			g.site[k].Nu += e.count(int(r)) * c * at.Nu
		}
	}
	g.spread(1e-6)
	return g
}

// side is the coefficient of the first item of a pair in row r.
func (e *engine) side(r int, pair [2]int32) float64 {
	index, coef := e.Rows.Row(r)
	if index[0] == int(pair[0]) {
		return coef[0]
	}
	return coef[1]
}

// marginal is what is known of the first item less the second of pair k.
func (g *Graph) marginal(k int) (mean, variance float64) {
	p, tell, say, s := g.pairs.Pairs()[k], g.m.Tell[k], g.say[k], g.site[k]
	x, y := g.m.Total[p[0]]-tell[1], g.m.Total[p[1]]-tell[0]
	det := x*y + s.Tau*(x+y)
	v := (x + y) / det
	mean = (y*(g.pull[p[0]]-say[1])-x*(g.pull[p[1]]-say[0]))/det + v*s.Nu
	if g.factor != nil {
		return mean, v * g.factor[k]
	}
	return mean, v * g.common.Pair[g.common.Of(p[0])]
}

// innerRounds are those in which the rows of one pair settle among themselves, and
// innerStep is how far they go in each.
const (
	innerRounds = 4
	innerStep   = 0.7
)

// visit updates the sites of the rows of pair k, and returns their largest change.
func (g *Graph) visit(k int) (change float64) {
	e, p := g.e, g.pairs.Pairs()[k]
	rows := g.pairs.RowsOf(k)
	if _, fixed := e.Likelihood[rows[0]].(likelihood.Gaussian); fixed && e.sites[rows[0]].Tau > 0 {
		return 0 // its site is what it is
	}
	mean, variance := g.marginal(k)
	m, v, ok := g.site[k].Cavity(mean, variance)
	if !ok {
		e.result.Stats.Skipped++
		return 0
	}
	rounds, step := 1, g.step
	if len(rows) > 1 || e.count(int(rows[0])) > 1 {
		rounds, step = innerRounds, innerStep*g.step
	}
	for round := range rounds {
		now := g.site[k]
		shrink := 1 / (1 + v*now.Tau)
		m, v := shrink*(m+v*now.Nu), shrink*v
		var sum gp.Site
		for _, r := range rows {
			old, c, n := e.sites[r], e.side(int(r), p), e.count(int(r))
			cm, cv, ok := old.Cavity(c*m, c*c*v)
			if !ok {
				e.result.Stats.Skipped++
			} else {
				site := e.Rule.Update(e.Likelihood[r], Form{Mean: cm, Var: cv}).Site
				if round == 0 {
					change = max(change, n*old.Distance(site, c*m, c*c*v))
				}
				e.sites[r] = old.Blend(site, step)
			}
			sum.Tau += n * c * c * e.sites[r].Tau
			sum.Nu += n * c * e.sites[r].Nu
		}
		g.site[k] = sum
	}
	return change
}

// replaceMessages puts the messages of pair k in place of the old ones.
func (g *Graph) replaceMessages(k int) {
	p, tell, say, s := g.pairs.Pairs()[k], &g.m.Tell[k], &g.say[k], g.site[k]
	x, y := g.m.Total[p[0]]-tell[1], g.m.Total[p[1]]-tell[0]
	hx, hy := g.pull[p[0]]-say[1], g.pull[p[1]]-say[0]
	*tell = [2]float64{s.Tau * x / (s.Tau + x), s.Tau * y / (s.Tau + y)}
	*say = [2]float64{(s.Tau*hx - x*s.Nu) / (s.Tau + x), (s.Tau*hy + y*s.Nu) / (s.Tau + y)}
	g.m.Total[p[0]], g.m.Total[p[1]] = x+tell[1], y+tell[0]
	g.pull[p[0]], g.pull[p[1]] = hx+say[1], hy+say[0]
}

// spread finds precisions and means under the sites as they are, to a tolerance.
func (g *Graph) spread(tolerance float64) {
	clear(g.lin)
	for k, p := range g.pairs.Pairs() {
		s := g.site[k]
		g.tau[k] = s.Tau
		g.lin[p[0]] += s.Nu
		g.lin[p[1]] -= s.Nu
	}
	g.l.Set(g.e.scale, g.e.Prior.OwnVariances(), g.tau)
	g.l.Propagate(g.m, tolerance)
	if g.factor == nil {
		g.common.Find(g.l, g.m)
	}
	g.l.Solve(g.mean, g.lin, 1, tolerance)
	// The messages that have these means: two equations a pair.
	for i, f := range g.mean {
		g.pull[i] = f * g.m.Total[i]
	}
	for k, p := range g.pairs.Pairs() {
		tell, t, nu := g.m.Tell[k], g.tau[k], g.site[k].Nu
		x, y := g.m.Total[p[0]]-tell[1], g.m.Total[p[1]]-tell[0]
		c, d := t/(t+x), t/(t+y)
		a, b := c*g.pull[p[0]]-nu*x/(t+x), d*g.pull[p[1]]+nu*y/(t+y)
		det := 1 - c*d
		g.say[k] = [2]float64{(a - c*b) / det, (b - d*a) / det}
	}
}

// Settle sweeps until no site changes by more than tolerance, at most until the
// settings' limit of sweeps, and reports whether it got there.
func (g *Graph) Settle(ctx context.Context, tolerance float64) (bool, error) {
	st := &g.e.result.Stats
	last := math.Inf(1)
	for st.Sweeps < g.e.MaxSweeps {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		st.Change, st.Skipped = 0, 0
		for k := range g.site {
			st.Change = max(st.Change, g.visit(k))
			g.replaceMessages(k)
		}
		if st.Change > last {
			g.step = max(0.7*g.step, 0.2)
		} else {
			g.step = min(1, 1.1*g.step)
		}
		last = st.Change
		st.Sweeps++
		st.Step = g.step
		g.spread(max(1e-10, min(1e-4, 1e-3*st.Change)))
		g.e.progress()
		if st.Change <= tolerance {
			return true, nil
		}
	}
	return false, nil
}

// Sites returns those of the rows, not to be modified.
func (g *Graph) Sites() []gp.Site { return g.e.sites[:g.given.Rows.Len()] }

// Set changes scale, likelihoods, and how large all is that items and groups have beside,
// for Settle to go on from where it was. The rows of p are those that there were, and
// nothing of it is zero that was not, or the other way round.
func (g *Graph) Set(p *Problem) {
	e := g.e
	e.scale, e.Problem.Scale = p.scale(), p.scale()
	copy(e.Likelihood, p.Likelihood)
	if g.added != nil {
		g.given = p
		e.Problem.Prior = p.Prior.Latent(e.Prior.Len() - p.Prior.Nodes())
		rows := p.Rows.Len()
		copy(e.sites[rows:], p.addedSites(g.added))
		copy(e.Likelihood[rows:], gaussians(e.sites[rows:]))
		g.additions(func(k int, row int32, _ addition) { g.site[k] = e.sites[row] })
	}
	e.result.Stats.Sweeps = 0
	g.spread(1e-6)
}

// Correct sets what loops change in variances to what gp.Laplacian.Variances finds, and
// returns by how much the variance of a pair changed most, as a share of it.
func (g *Graph) Correct() float64 {
	if g.near {
		return 0
	}
	g.common.Find(g.l, g.m)
	v := g.l.Variances(g.m, g.common)
	if g.near = v.Near && g.factor == nil; g.near {
		return 0
	}
	g.solved = !v.Near
	item, pair, again := v.Item, v.Pair, g.factor != nil
	if g.factor == nil {
		g.factor, g.item = make([]float64, len(pair)), make([]float64, len(item))
		for k, p := range g.pairs.Pairs() {
			g.factor[k] = g.common.Pair[g.common.Of(p[0])]
		}
	}
	for i, v := range item {
		g.item[i] = v - 1/g.m.Total[i]
	}
	var worst float64
	for k, v := range pair {
		f := v / g.l.PairVariance(g.m, k)
		worst = max(worst, math.Abs(f/g.factor[k]-1))
		g.factor[k] = f
	}
	if again && !v.Exact { // no further than its error
		return 0
	}
	return worst
}

// variance is that of item i.
func (g *Graph) variance(i int) float64 {
	v := 1 / g.m.Total[i]
	if g.item != nil {
		return v + g.item[i]
	}
	return v + g.common.Item[g.common.Of(int32(i))]
}

// corrections bounds the inverses of a run, and corrected is the change of a pair's
// variance below which another is not worth its while.
const (
	corrections = 8
	corrected   = 1e-6
)

// sweepGraph is sweepDamped on the graph of comparisons.
func (e *engine) sweepGraph(ctx context.Context) error {
	g, err := NewGraph(e.Problem, e.Settings)
	if err != nil {
		return err
	}
	r, err := g.Finish(ctx)
	if err == nil {
		*e.result = *r
	}
	return err
}

// Finish settles and corrects until neither changes anything, and returns what it has come
// to.
func (g *Graph) Finish(ctx context.Context) (*Result, error) {
	e := g.e
	e.result.Status = SweepLimit
	for range corrections {
		done, err := g.Settle(ctx, e.Tolerance)
		if err != nil {
			return nil, err
		}
		if !done {
			break
		}
		if g.Correct() < corrected {
			e.result.Status = Converged
			break
		}
	}
	e.rough, e.near = e.exactness(0), nil // whatever sweeps came before
	q, err := e.Prior.Posterior(e.scale, e.Rows, e.sites, e.Count, gp.Ways{Inner: e.inner(e.Rule.Kind()), Checked: g.near})
	if err != nil {
		return nil, err
	}
	e.result.Stats.Skipped = 0 // those of the last look stay
	e.finish(q, e.updates(q))
	if g.added != nil {
		g.restrict(e.result)
	}
	return e.result, nil
}
