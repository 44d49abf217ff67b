package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"palate"
	"palate/drift"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

// MovingOptions are the settings of FitMoving; nil means the defaults.
type MovingOptions struct {
	Periods    Periods
	Likelihood Likelihood
	// Links, if set, join items, its nodes: what stays of utilities spreads along them by
	// the regularised Laplacian, as Single learns it from all votes.
	Links    *kernel.Graph
	Seed     uint64
	Progress func(Progress)
}

// FitMoving fits a utility that moves to the votes of d, which must all have times. How much of
// it moves, how fast and how smoothly is learnt, and that nothing does is among what is
// weighed. Who voted plays no part. When ctx ends before it is done it returns the error of
// ctx.
func FitMoving(ctx context.Context, d *palate.Dataset, o *MovingOptions) (*Moving, error) {
	if o == nil {
		o = &MovingOptions{}
	}
	m := &Moving{Base: newBase(d), periods: o.Periods, linked: o.Links != nil, moments: &num.Lazy[*drift.Moments]{}, past: newPast()}
	m.voting.family = o.Likelihood
	v, kinds, err := m.read(d)
	if err != nil {
		return nil, err
	}
	m.fit = Fit{Kind: infer.LogEvidence.String(), Likelihood: o.Likelihood, Rule: "EP"}
	m.fit.Votes, m.fit.Ties = m.count(d.Tallies(false))
	if o.Links != nil {
		if err := m.link(ctx, d, v, o); err != nil {
			return nil, err
		}
	}
	opt := drift.Options{}
	if m.fit.Ties > 0 { // the margin at which even items would tie so often
		opt.Margin, opt.Kinds = max(0.05, m.fit.Ties/m.fit.Votes), kinds
	} else {
		v.Kinds = kinds(0)
	}
	if o.Progress != nil {
		opt.Report = func(member, round int, evidence float64) {
			o.Progress(Progress{Stage: [...]string{"learning what stays", "learning what moves", "learning what moves smoothly", "learning what walks", "learning what jumps"}[member], Round: round + 1, Objective: evidence})
		}
	}
	f, err := drift.Learn(ctx, v, opt)
	if err != nil {
		return nil, err
	}
	m.q, m.voting.threshold, m.process = &f.Posterior, f.Margin, f.Likeliest
	m.fit.Objective, m.fit.Threshold, m.fit.Scale = f.Evidence, f.Margin, 1/(f.Likeliest.Stay*f.Likeliest.Stay+f.Likeliest.Move*f.Likeliest.Move)
	m.fit.Stats.Sweeps, m.fit.Stats.Change = f.Sweeps, f.Change
	if m.fit.Status = infer.Converged; !f.Converged {
		m.fit.Status = infer.SweepLimit
	}
	_, m.now = m.Range()
	return m, nil
}

// read cuts votes into periods, and makes rows of those that say the same. Likelihoods follow
// from the margin of ties.
func (m *Moving) read(d *palate.Dataset) (*drift.Votes, func(margin float64) []likelihood.Scalar, error) {
	var first, last time.Time
	told, timeless, where := 0, 0, 0
	for k, v := range d.Votes() {
		if v.Outcome == palate.Skip {
			continue
		}
		told++
		if v.Time.IsZero() {
			if timeless++; timeless == 1 {
				where = k + 1
			}
			continue
		}
		if first.IsZero() || v.Time.Before(first) {
			first = v.Time
		}
		if last.IsZero() || v.Time.After(last) {
			last = v.Time
		}
	}
	switch {
	case told == 0:
		return nil, nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	case timeless > 0:
		return nil, nil, fmt.Errorf("model: %d of %d votes have no time, vote %d the first: leave them out, or use single", timeless, told, where)
	}
	var err error
	if m.calendar, err = m.periods.calendar(first, last); err != nil {
		return nil, nil, err
	}
	m.periods.Unit = cmp.Or(m.periods.Unit, m.calendar.unit)
	type said struct {
		start  int64
		a, b   int32
		tie    bool
		weight float64
	}
	all := make([]said, 0, told)
	for _, v := range d.Votes() {
		s := said{start: m.calendar.start(v.Time).UnixMicro(), a: int32(v.Left), b: int32(v.Right), weight: v.Weight}
		switch v.Outcome {
		case palate.Skip:
			continue
		case palate.Right:
			s.a, s.b = s.b, s.a
		case palate.Tie:
			s.tie, s.a, s.b = true, min(s.a, s.b), max(s.a, s.b)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(x, y said) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(whether(x.tie), whether(y.tie)), cmp.Compare(x.weight, y.weight))
	})
	v := &drift.Votes{Items: len(m.ids)}
	type kind struct {
		tie   bool
		power float64
	}
	var list []kind
	number := map[kind]int32{}
	for k := 0; k < len(all); {
		x := all[k]
		if k == 0 || x.start != all[k-1].start {
			start := m.calendar.start(time.UnixMicro(x.start))
			m.starts, v.Times = append(m.starts, start), append(v.Times, m.calendar.middle(start))
		}
		var weight float64
		for ; k < len(all) && all[k].start == x.start && all[k].a == x.a && all[k].b == x.b && all[k].tie == x.tie; k++ {
			weight += all[k].weight
		}
		count, power := likelihood.Whole(weight)
		at, ok := number[kind{x.tie, power}]
		if !ok {
			at = int32(len(list))
			number[kind{x.tie, power}] = at
			list = append(list, kind{x.tie, power})
		}
		v.Rows = append(v.Rows, drift.Row{Period: int32(len(v.Times) - 1), A: x.a, B: x.b, Kind: at, Count: count})
	}
	if len(v.Times) < 2 {
		return nil, nil, fmt.Errorf("model: all votes are of one %s, %s, in which nothing moves: cut time into shorter periods, or use single", m.calendar.word(), m.calendar.label(m.starts[0]))
	}
	return v, func(margin float64) (out []likelihood.Scalar) {
		w := m.voting
		w.threshold = margin
		for _, k := range list {
			l := w.win()
			if k.tie {
				l = w.tie()
			}
			out = append(out, likelihood.Raised(l, k.power))
		}
		return out
	}, nil
}

// whether is 1 for what is so.
func whether(is bool) int {
	if is {
		return 1
	}
	return 0
}

// vague is the deviation of what stays of items of which links know more.
const vague = 100

// link adds what links say of what stays: a node for what spreads beside every item, as gp.Linked
// has it, under the hyper-parameters that all votes have without their times.
func (m *Moving) link(ctx context.Context, d *palate.Dataset, v *drift.Votes, o *MovingOptions) error {
	still, err := FitSingle(ctx, d, &Options{Likelihood: o.Likelihood, Links: o.Links, LinkKernel: kernel.Laplacian, DenseLimit: 1, Pooled: true, Seed: o.Seed, Progress: o.Progress})
	if err != nil {
		return err
	}
	links, own, ok := kernel.Regularised(still.kernel)
	if !ok {
		return fmt.Errorf("model: links of moving items go without features of items")
	}
	m.groups = still.groups
	n, s := len(m.ids), still.result.Posterior.Scale
	ridge := 1 / (links.Range() * links.Range())
	l := &drift.Links{Stay: slices.Repeat([]float64{vague}, n)}
	for _, e := range links.Graph().Edges() {
		l.Pairs, l.Precision = append(l.Pairs, [2]int32{int32(n + e.From), int32(n + e.To)}), append(l.Precision, s*links.Precision()*e.Weight)
	}
	for i := range n {
		l.Pairs, l.Precision = append(l.Pairs, [2]int32{int32(i), int32(n + i)}), append(l.Precision, s/own)
		l.Stay = append(l.Stay, 1/math.Sqrt(s*links.Precision()*ridge))
	}
	v.Items, v.Shown, v.Links = 2*n, n, l
	return nil
}

// fitMoving is FitMoving by settings.
func fitMoving(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
	return asModel(FitMoving(ctx, d, &MovingOptions{Periods: s.Periods, Likelihood: s.Likelihood, Links: s.Links, Seed: s.Seed, Progress: s.Progress}))
}
