package drift

import (
	"cmp"
	"context"
	"math"
	"slices"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// Row is votes that say the same of two items in one period: one of the likelihoods, of the
// utility of A less that of B.
type Row struct {
	Period, A, B int32
	Kind         int32
	Count        float64
}

// Votes are all of them.
type Votes struct {
	Items int
	Shown int       // so many of them, the first, are of interest; 0: all
	Times []float64 // of periods, ascending
	Rows  []Row     // in any order, no two of the same kind on the same pair and period
	Kinds []likelihood.Scalar
	// Links, if there are any, say what is known of what stays of items, in place of
	// Process.Stay.
	Links *Links
}

// Links are pairs of items that are alike: the difference of what stays of the two is a normal
// of a precision. Beside it what stays of every item is one of a deviation.
type Links struct {
	Pairs     [][2]int32
	Precision []float64
	Stay      []float64
}

// pair is two states that votes compare, the first of the smaller number.
type pair struct {
	a, b     int32
	from, to int32 // rows of the pair; none of a link
}

// told is what a pair tells its two states.
type told struct{ tell, say [2]float64 }

// graph is expectation propagation along chains and pairs.
type graph struct {
	*Votes
	chain  chain
	period []int32 // of every state; −1 of heads
	pairs  []pair
	block  []int32 // where the pairs of each period begin, and at last those of links
	rows   []Row   // by pair
	sites  []gp.Site
	site   []gp.Site // of pairs, on the first state less the second
	told   []told
	w      *passage
	tau    []float64 // of states, what they are told
	nu     []float64
	step   float64
	change float64
	sweeps int
}

// newGraph sorts votes by period and pair.
func newGraph(v *Votes) *graph {
	g := &graph{Votes: v, rows: slices.Clone(v.Rows), step: 1}
	slices.SortFunc(g.rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(x.Period, y.Period), cmp.Compare(min(x.A, x.B), min(y.A, y.B)), cmp.Compare(max(x.A, x.B), max(y.A, y.B)), cmp.Compare(x.A, y.A), cmp.Compare(x.Kind, y.Kind))
	})
	at := make([][]int32, v.Items) // periods of items
	for _, r := range g.rows {
		for _, i := range []int32{r.A, r.B} {
			if n := len(at[i]); n == 0 || at[i][n-1] != r.Period {
				at[i] = append(at[i], r.Period)
			}
		}
	}
	g.chain.start = make([]int32, 1, v.Items+1)
	for _, periods := range at {
		g.period = append(append(g.period, -1), periods...)
		g.chain.time = append(g.chain.time, v.Times[0])
		for _, p := range periods {
			g.chain.time = append(g.chain.time, v.Times[p])
		}
		g.chain.start = append(g.chain.start, int32(len(g.chain.time)))
	}
	place := slices.Clone(g.chain.start[:v.Items]) // the state of an item that was seen last
	state := func(i, period int32) int32 {
		if g.period[place[i]] != period {
			place[i]++
		}
		return place[i]
	}
	g.block = make([]int32, 1, len(v.Times)+2)
	for r := 0; r < len(g.rows); {
		x := g.rows[r]
		for int(x.Period) >= len(g.block) {
			g.block = append(g.block, int32(len(g.pairs)))
		}
		i, j := min(x.A, x.B), max(x.A, x.B)
		p := pair{a: state(i, x.Period), b: state(j, x.Period), from: int32(r)}
		for r < len(g.rows) && g.rows[r].Period == x.Period && min(g.rows[r].A, g.rows[r].B) == i && max(g.rows[r].A, g.rows[r].B) == j {
			r++
		}
		p.to = int32(r)
		g.pairs = append(g.pairs, p)
	}
	for len(g.block) <= len(v.Times) {
		g.block = append(g.block, int32(len(g.pairs)))
	}
	if l := v.Links; l != nil {
		g.chain.stay = l.Stay
		for _, p := range l.Pairs {
			g.pairs = append(g.pairs, pair{a: g.chain.start[p[0]], b: g.chain.start[p[1]]})
		}
	}
	g.block = append(g.block, int32(len(g.pairs)))
	n := len(g.chain.time)
	g.sites, g.site, g.told = make([]gp.Site, len(g.rows)), make([]gp.Site, len(g.pairs)), make([]told, len(g.pairs))
	g.tau, g.nu, g.w = make([]float64, n), make([]float64, n), newPassage(&g.chain)
	return g
}

// cavity is what is known of the two states of pair k without it: their means and variances.
func (g *graph) cavity(k int) (ma, va, mb, vb float64) {
	p, t := g.pairs[k], &g.told[k]
	va = 1 / (1/g.w.v[p.a] + g.tau[p.a] - t.tell[0])
	vb = 1 / (1/g.w.v[p.b] + g.tau[p.b] - t.tell[1])
	ma = va * (g.w.mean[p.a]/g.w.v[p.a] + g.nu[p.a] - t.say[0])
	mb = vb * (g.w.mean[p.b]/g.w.v[p.b] + g.nu[p.b] - t.say[1])
	return ma, va, mb, vb
}

// side is 1 where the first item of a row is the first of its pair, else −1.
func side(r Row) float64 {
	if r.A < r.B {
		return 1
	}
	return -1
}

// innerRounds are those in which the rows of one pair settle among themselves, and innerStep
// is how far they go in each.
const (
	innerRounds = 4
	innerStep   = 0.7
)

// visit updates the sites of pair k and what it tells its states, and returns the change.
func (g *graph) visit(k int) (change float64) {
	p := g.pairs[k]
	ma, va, mb, vb := g.cavity(k)
	if !(va > 0 && vb > 0) {
		return 0
	}
	m, v := ma-mb, va+vb
	rounds, step := 1, g.step
	switch {
	case p.to == p.from:
		rounds = 0
		g.site[k] = gp.Site{Tau: g.Links.Precision[k-int(g.block[len(g.block)-2])]}
	case p.to-p.from > 1 || g.rows[p.from].Count > 1:
		rounds, step = innerRounds, innerStep*g.step
	}
	for round := range rounds {
		now := g.site[k]
		f := 1 + v*now.Tau
		zm, zv := (m+v*now.Nu)/f, v/f
		var sum gp.Site
		for r := p.from; r < p.to; r++ {
			row, old := g.rows[r], g.sites[r]
			c := side(row)
			if cm, cv, ok := old.Cavity(c*zm, zv); ok {
				site := infer.EP{}.Update(g.Kinds[row.Kind], infer.Form{Mean: cm, Var: cv}).Site
				if round == 0 {
					change = max(change, row.Count*old.Distance(site, c*zm, zv))
				}
				g.sites[r] = old.Blend(site, step)
			}
			sum.Tau += row.Count * g.sites[r].Tau
			sum.Nu += row.Count * c * g.sites[r].Nu
		}
		g.site[k] = sum
	}
	s, t := g.site[k], &g.told[k]
	fa, fb := 1+s.Tau*vb, 1+s.Tau*va
	now := told{tell: [2]float64{s.Tau / fa, s.Tau / fb}, say: [2]float64{(s.Nu + s.Tau*mb) / fa, (s.Tau*ma - s.Nu) / fb}}
	g.tau[p.a] += now.tell[0] - t.tell[0]
	g.tau[p.b] += now.tell[1] - t.tell[1]
	g.nu[p.a] += now.say[0] - t.say[0]
	g.nu[p.b] += now.say[1] - t.say[1]
	*t = now
	return change
}

// add sums what states are told afresh, so that rounding does not pile up.
func (g *graph) add() {
	clear(g.tau)
	clear(g.nu)
	for k, p := range g.pairs {
		t := &g.told[k]
		g.tau[p.a] += t.tell[0]
		g.tau[p.b] += t.tell[1]
		g.nu[p.a] += t.say[0]
		g.nu[p.b] += t.say[1]
	}
}

// sweep goes through all chains, then through all pairs, those of a period in turn, and returns
// the largest change of a site.
func (g *graph) sweep() float64 {
	g.add()
	g.w.smooth(g.tau, g.nu)
	var hopped float64
	if g.w.hopping != nil {
		hopped = g.w.updateHops(g.step)
	}
	moved := make([]float64, len(g.block)-1)
	num.Parallel(len(moved), 1, func(b, _ int) {
		for k := g.block[b]; k < g.block[b+1]; k++ {
			moved[b] = max(moved[b], g.visit(int(k)))
		}
	})
	g.sweeps++
	return max(hopped, slices.Max(moved))
}

// converge sweeps until no site changes by more than a tolerance, and reports whether it got
// there. What all items have in common settles last, and no vote is about it.
func (g *graph) converge(ctx context.Context, tolerance float64, sweeps int) (bool, error) {
	last := math.Inf(1)
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		g.change = g.sweep()
		if g.change <= tolerance {
			return true, nil
		}
		if g.change > last {
			g.step = max(0.7*g.step, 0.2)
		} else {
			g.step = min(1, 1.1*g.step)
		}
		last = g.change
	}
	return false, nil
}

// chains is the log evidence of what states are told.
func (g *graph) chains(p Process) float64 {
	of := make([]float64, g.Items)
	var sum float64
	var hops []Hop
	if p.Jumps {
		hops, sum = g.w.hopping.hop, g.w.hopTerms(p)
	}
	num.Parallel(g.Items, itemGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			of[i] = g.chain.logZ(p, i, g.tau, g.nu, hops)
		}
	})
	for _, x := range of {
		sum += x
	}
	return sum
}

// evidence is expectation propagation's estimate of the log evidence at sites that have
// settled.
func (g *graph) evidence() float64 {
	g.add()
	g.w.smooth(g.tau, g.nu)
	of := make([]float64, len(g.block)-1)
	num.Parallel(len(of), 1, func(b, _ int) {
		for k := g.block[b]; k < g.block[b+1]; k++ {
			of[b] += g.term(int(k))
		}
	})
	sum := g.chains(g.w.process)
	for _, x := range of {
		sum += x
	}
	return sum
}

// term is what pair k adds to the evidence of the chains.
func (g *graph) term(k int) float64 {
	p, t := g.pairs[k], &g.told[k]
	ma, va, mb, vb := g.cavity(k)
	m, v := ma-mb, va+vb
	sum := g.site[k].LogOverlap(m, v) - gp.Site{Tau: t.tell[0], Nu: t.say[0]}.LogOverlap(ma, va) - gp.Site{Tau: t.tell[1], Nu: t.say[1]}.LogOverlap(mb, vb)
	f := 1 + v*g.site[k].Tau
	zm, zv := (m+v*g.site[k].Nu)/f, v/f
	for r := p.from; r < p.to; r++ {
		row, c := g.rows[r], side(g.rows[r])
		if cm, cv, ok := g.sites[r].Cavity(c*zm, zv); ok {
			sum += row.Count * (likelihood.Tilt(g.Kinds[row.Kind], cm, cv).LogZ - g.sites[r].LogOverlap(cm, cv))
		}
	}
	return sum
}
