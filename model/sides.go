package model

import (
	"context"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/gp"
	"palate/infer"
)

// Sides says how the side on which an item is shown bears on votes.
type Sides int

const (
	// NoSides is where it does not.
	NoSides Sides = iota
	// PooledSides give the left item the same bonus whoever votes.
	PooledSides
	// VoterSides give it a bonus of each voter's own, around one that all share.
	VoterSides
)

// sideNames are what model.json calls them.
var sideNames = [...]string{"none", "pooled", "voter"}

// sideShares are what is known of sides beforehand, and sideSpread is the variance of the
// bonus, in units of the noise of a vote.
var sideShares = [...]float64{0.5, 0.25, 0.25}

const sideSpread = 0.25

// A bonus that is learnt is looked for where the square of its score at none, in units of
// its variance, is more than bonusScore.
const bonusScore = 2

// The deviation of voters' own bonuses is learnt under an exponential of mean ½, from
// leanStart.
const leanStart = 0.3

// logLeanPrior is the log density of the logarithm of its square, and the slope.
func logLeanPrior(log float64) (lp, slope float64) {
	lean := math.Exp(0.5 * log)
	return 0.5*log - 2*lean, 0.5 - lean
}

// sidesShown reports whether sides are known, and what they do is learnt.
func (m *Single) sidesShown(d *palate.Dataset) bool {
	_, ep := m.rule().(infer.EP)
	return ep && m.options.Schedule == nil && m.z == nil && (m.own || len(m.ids) <= scaleWeights) && sidesKnown(d)
}

// sidesKnown reports whether votes say on which side items were shown: a file of winners and
// losers has one of them only.
func sidesKnown(d *palate.Dataset) bool {
	var left, right bool
	for _, v := range d.Votes() {
		left, right = left || !v.Unsided && v.Outcome == palate.Left, right || !v.Unsided && v.Outcome == palate.Right
		if left && right {
			return true
		}
	}
	return false
}

// climbSides goes on from a search without sides to that with sides which has most
// evidence. Where none is near it, votes stay as they are; else their sides are kept
// apart, for draws to weigh what sides may do.
func (m *Single) climbSides(ctx context.Context, plain *search, x []float64) (*search, []float64, error) {
	if m.sides == nil {
		return plain, x, nil
	}
	pooled := m.obs
	m.obs = m.sides()
	m.sides = nil
	start := pooled.sitesFor(m.obs, plain.start)
	if m.learnsOnGraph() {
		s, x, err := m.climbBonus(ctx, plain, x, start)
		if s == plain {
			m.obs = pooled
		}
		return s, x, err
	}
	type candidate struct {
		s     *search
		x     []float64
		value float64
	}
	try := func(sides Sides, x []float64) (candidate, error) {
		s := m.newSearch(sides)
		s.repeat, s.start, s.habits = plain.repeat, start, plain.habits.Clone()
		value, err := s.height(ctx, x)
		return candidate{s, x, value + math.Log(sideShares[sides])}, err
	}
	best, err := try(NoSides, x)
	if err != nil {
		return nil, nil, err
	}
	kept := []candidate{best}
	for _, sides := range []Sides{PooledSides, VoterSides} {
		from := x
		if sides == VoterSides {
			if m.obs.group == nil {
				break
			}
			from = slices.Insert(slices.Clone(x), plain.sidesAt(), 2*math.Log(leanStart))
		}
		c, err := try(sides, from)
		if err == nil && sides == VoterSides && c.value > best.value-scaleDrop {
			if c.x, err = c.s.climb(ctx, c.x, false); err == nil {
				var value float64
				value, err = c.s.height(ctx, c.x)
				c.value = value + math.Log(sideShares[sides])
			}
		}
		if err != nil {
			return nil, nil, err
		}
		if c.value > best.value-scaleDrop {
			kept = append(kept, c)
		}
		if c.value > best.value {
			best = c
		}
	}
	if len(kept) == 1 {
		m.obs = pooled
		return plain, x, nil
	}
	if best.s.sides == PooledSides {
		if best.x, err = best.s.climb(ctx, best.x, false); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range kept {
		if c.s.sides == VoterSides {
			_, v, _, _ := c.s.at(c.x)
			best.s.lean = v.lean
		}
	}
	return best.s, best.x, nil
}

// climbBonus is climbSides along the graph of comparisons, where votes are so many that
// little is left open of a bonus that all share: it is learnt as hyper-parameters are,
// where it has more evidence than none has. Where items are few enough for a dense
// posterior the bonus is integrated out there, at the hyper-parameters that go with it.
func (m *Single) climbBonus(ctx context.Context, plain *search, x []float64, start []gp.Site) (*search, []float64, error) {
	s := m.newSearch(PooledSides)
	s.repeat, s.start = plain.repeat, start
	from := slices.Insert(slices.Clone(x), plain.sidesAt(), 0)
	g, err := infer.NewGraph(s.graphProblem(from), infer.Settings{Tolerance: m.tolerance(), Start: start})
	if err == nil {
		_, err = g.Settle(ctx, 1e-3)
	}
	if err != nil {
		return nil, nil, err
	}
	// The score at no bonus says whether there may be one.
	slope, bend := s.graphSlope(g, from)
	at := plain.sidesAt()
	if slope[at]*slope[at] < bonusScore*bend[at] {
		return plain, x, nil
	}
	before := g.Evidence() + s.logPrior(from)
	if from, err = s.climb(ctx, from, false); err != nil {
		return nil, nil, err
	}
	after, err := s.height(ctx, from)
	if err != nil {
		return nil, nil, err
	}
	after += math.Log(sideShares[PooledSides]/sideShares[NoSides]) - 0.5*math.Log(sideSpread*s.known)
	if after < before-scaleDrop || m.own && after < before {
		return plain, x, nil
	}
	if after < before {
		none := m.newSearch(NoSides)
		none.repeat, none.start, none.habits = plain.repeat, start, plain.habits
		return none, x, nil
	}
	return s, from, nil
}

// sitesFor are the sites of rows, for rows of the same votes that are further apart.
func (o *observations) sitesFor(apart *observations, sites []gp.Site) []gp.Site {
	type key struct {
		group, answer, habit, class, a, b int
		outcome                           outcome
	}
	at := func(o *observations, r int) key {
		index, _ := o.rows.Row(r)
		k := key{-1, -1, -1, -1, index[0], index[1], o.outcome[r]}
		if o.class != nil {
			k.class = o.class[r]
		}
		if o.habit != nil {
			k.habit = o.habit[r]
		}
		if o.group != nil {
			k.group = o.group[r]
		}
		if o.answer != nil {
			k.answer = o.answer[r]
		}
		return k
	}
	of := make(map[key]gp.Site, len(sites))
	for r, s := range sites {
		of[at(o, r)] = s
	}
	out := make([]gp.Site, apart.rows.Len())
	for r := range out {
		out[r] = of[at(apart, r)]
	}
	return out
}

// context are the effects that votes have beside the items, for inference.
func (v voting) context(o *observations, e *infer.Effects) {
	if o.context == nil || v.learnt != nil {
		return
	}
	e.Context, e.Spread = o.context, o.spread(v.sides)
	if v.sides == VoterSides {
		e.Vary = make([]float64, len(e.Spread))
		e.Vary[0] = v.lean * v.lean
	}
}

// found are the effects as a run found them: where they are learnt, by the graph that it
// went along.
func (m *Single) found(v voting, r *infer.Result, g *infer.Graph) (all []Effect) {
	if m.obs.context == nil {
		return nil
	}
	spread := m.obs.spread(v.sides)
	mean, sd := v.learnt, []float64(nil)
	if mean != nil {
		sd = g.EffectDeviations(m.obs.context, spread)
	} else if c := r.Context(); c != nil {
		mean, sd = make([]float64, len(spread)), make([]float64, len(spread))
		known, by := c.Effects(r.Posterior)
		for a, k := range c.There {
			mean[k], sd[k] = known[a], by[a]
		}
	}
	for k, there := range spread {
		if there == 0 {
			continue
		}
		e := Effect{Name: leftEffect}
		if k > 0 {
			e = m.properties[k-1]
		}
		if e.Mean, e.SD = mean[k], sd[k]; k == 0 && v.sides == VoterSides {
			e.Lean = v.lean
		}
		all = append(all, e)
	}
	return all
}

// candidates are what sides may do to votes whose sides are apart, that of the fit first.
func (v voting) candidates(o *observations) []Sides {
	all := []Sides{v.sides}
	if !o.sided {
		return all
	}
	for _, s := range []Sides{NoSides, PooledSides, VoterSides} {
		if s != v.sides && (s != VoterSides || v.lean > 0 && o.group != nil) {
			all = append(all, s)
		}
	}
	return all
}

// loadSides reads what sides do.
func (m *Single) loadSides(h header) error {
	if h.Sides == "" {
		return nil
	}
	sides := slices.Index(sideNames[:], h.Sides)
	if sides < 0 || !(h.Lean >= 0) || Sides(sides) == VoterSides && h.Lean == 0 {
		return fmt.Errorf("model.json: sides %q, of voters' own %g", h.Sides, h.Lean)
	}
	m.voting.sides, m.voting.lean = Sides(sides), h.Lean
	return nil
}

// loadContext reads what bears on the rows beside the items.
func (m *Single) loadContext(a *arrayReader, h header) {
	if len(h.Context) == 0 {
		if a.err == nil && h.Sides != "" {
			a.err = fmt.Errorf("model.json: sides %q, and no context", h.Sides)
		}
		return
	}
	context := a.matrix("context")
	if a.err != nil {
		return
	}
	rows, effects := context.Dims()
	if rows != m.obs.rows.Len() || effects != len(h.Context) || m.z != nil || m.own {
		a.err = fmt.Errorf("context.npy: %d × %d for %d rows and %d effects, or beside inducing points", rows, effects, m.obs.rows.Len(), len(h.Context))
		return
	}
	m.obs.effects, m.obs.context, m.obs.sided = h.Context, &gp.Rows{}, h.Sides != ""
	for r := range rows {
		var index []int
		var coef []float64
		for k, x := range context.RawRowView(r) {
			if x != 0 {
				index, coef = append(index, k), append(coef, x)
			}
		}
		m.obs.context.Append(index, coef)
	}
}
