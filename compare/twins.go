package compare

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/kernel"
	"palate/model"
)

// twinKernel is the covariance of the utilities of n items on two boards, points i and n + i:
// 1 on the first board, ratio² on the second, with a correlation between the two of an item.
type twinKernel struct {
	n                  int
	correlation, ratio float64
}

func (k twinKernel) ParamNames() []string { return nil }
func (k twinKernel) Params() []float64    { return nil }

func (k twinKernel) With([]float64) kernel.Kernel { return k }

func (k twinKernel) MatrixTo(dst *mat.Dense, x, y kernel.Points) {
	if dst.IsEmpty() {
		dst.ReuseAs(x.Len(), y.Len())
	}
	for i := range x.Len() {
		for j := range y.Len() {
			dst.Set(i, j, k.at(x.ID(i), y.ID(j)))
		}
	}
}

func (k twinKernel) MatrixGrad([]float64, mat.Matrix, kernel.Points, kernel.Points) {}

func (k twinKernel) PairsTo(dst []float64, x kernel.Points, i, j []int) {
	for p := range dst {
		dst[p] = k.at(x.ID(i[p]), x.ID(j[p]))
	}
}

func (k twinKernel) PairsGrad([]float64, []float64, kernel.Points, []int, []int) {}

func (k twinKernel) at(i, j int) float64 {
	switch {
	case i%k.n != j%k.n:
		return 0
	case i != j:
		return k.correlation * k.ratio
	case i >= k.n:
		return k.ratio * k.ratio
	}
	return 1
}

// Twins are two boards of the same items as one model: what it knows of both, and how far
// items moved between them, learnt from all items at once. The correlation of an item's two
// utilities and the ratio of the boards' spreads are integrated out on a grid.
type Twins struct {
	ids   []string
	at    []*model.Single
	mass  []float64
	still float64 // see Still
}

// MostOnGrid is the most items of which the grid is gone through: the covariance of all is
// dense there, and is factored again and again. The boards of more items are linked
// instead, each item with itself, at the likeliest hyper-parameters and as if both were
// equally spread, in time that grows with the votes: intervals are then a little narrow.
const MostOnGrid = 200

// twinNode is a point of the grid: places in correlations and ratios.
type twinNode struct{ correlation, ratio int }

// The grid, with what is taken to be probable before votes are seen: boards are likelier to
// be near each other than apart, not moved at all (a correlation so near to 1 that what
// moved is nothing) with some probability, and about equally spread.
var (
	correlations     = []float64{0, 0.5, 0.8, 0.93, 0.98, 0.999999}
	correlationPrior = []float64{0.08, 0.1, 0.13, 0.18, 0.21, 0.3}
	ratios           = []float64{0.35, 0.6, 1, 1.7, 2.8}
	ratioPrior       = []float64{0.03, 0.17, 0.6, 0.17, 0.03}
)

// leastMass is the share of the likeliest node's mass below which the grid is not followed.
const leastMass = 0.03

// FitTwins fits two boards to the votes of both; second tells of every vote which it is of.
// Kernel, links and length-scales of the options are its own affair.
func FitTwins(ctx context.Context, d *palate.Dataset, second []bool, o *model.Options) (*Twins, error) {
	n := d.NumItems()
	part := make([]int, len(second))
	for k, is := range second {
		if is {
			part[k] = 1
		}
	}
	both := d.InParts(part, 2)
	opt := model.Options{}
	if o != nil {
		opt = *o
	}
	t := &Twins{}
	for i := range n {
		t.ids = append(t.ids, d.ItemID(i))
	}
	if n > MostOnGrid {
		return t, t.link(ctx, both, opt)
	}
	return t, t.onGrid(ctx, both, opt)
}

// link fits two boards whose items are linked, each with itself.
func (t *Twins) link(ctx context.Context, both *palate.Dataset, opt model.Options) error {
	n := len(t.ids)
	links := make([]kernel.Edge, n)
	for i := range links {
		links[i] = kernel.Edge{From: i, To: n + i, Weight: 1}
	}
	var err error
	if opt.Links, err = kernel.NewGraph(2*n, links); err != nil {
		return err
	}
	opt.LinkKernel, opt.DenseLimit = kernel.Laplacian, 1 // along the links, whatever the number of items
	m, err := model.FitSingle(ctx, both, &opt)
	if err != nil {
		return err
	}
	t.at, t.mass, t.still = []*model.Single{m}, []float64{1}, -1
	return nil
}

// onGrid fits two boards at the points of the grid, from its middle outwards.
func (t *Twins) onGrid(ctx context.Context, both *palate.Dataset, opt model.Options) error {
	n := len(t.ids)
	// The kernel goes by the number of an item: its feature says nothing.
	both = both.WithItemFeatures(&palate.Features{Names: []string{"board"}, Rows: 2 * n, Cols: 1, Data: make([]float64, 2*n)})
	if opt.Tolerance == 0 {
		opt.Tolerance = 1e-3 // nodes are weighed and drawn from, not looked at
	}
	var nodes []twinNode
	// As long as nodes have a share of the mass those beside them are looked at.
	seen := map[twinNode]bool{}
	next := []twinNode{{len(correlations) - 2, len(ratios) / 2}}
	top := math.Inf(-1)
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		opt.Kernel = twinKernel{n, correlations[at.correlation], ratios[at.ratio]}
		m, err := model.FitSingle(ctx, both, &opt)
		if err != nil {
			return err
		}
		log := m.Fit().Objective + math.Log(correlationPrior[at.correlation]*ratioPrior[at.ratio])
		t.at, t.mass, nodes = append(t.at, m), append(t.mass, log), append(nodes, at)
		if top = max(top, log); log < top+math.Log(leastMass) {
			continue
		}
		for _, to := range []twinNode{{at.correlation - 1, at.ratio}, {at.correlation + 1, at.ratio}, {at.correlation, at.ratio - 1}, {at.correlation, at.ratio + 1}} {
			if to.correlation >= 0 && to.correlation < len(correlations) && to.ratio >= 0 && to.ratio < len(ratios) {
				next = append(next, to)
			}
		}
	}
	var sum float64
	for k, l := range t.mass {
		t.mass[k] = math.Exp(l - top)
		sum += t.mass[k]
	}
	for k := range t.mass {
		if t.mass[k] /= sum; nodes[k] == (twinNode{len(correlations) - 1, len(ratios) / 2}) {
			t.still = t.mass[k]
		}
	}
	return nil
}

// Moves says what moved between the two boards.
func (t *Twins) Moves(ctx context.Context, o *Options) (*Change, error) {
	opt := o.defaults()
	n := len(t.ids)
	c := &Change{Level: opt.Level}
	var first, second []int
	var common []string
	votes := t.at[0].Votes()
	for i, id := range t.ids {
		switch was, is := votes[i] > 0, votes[n+i] > 0; {
		case was && is:
			first, second, common = append(first, i), append(second, n+i), append(common, id)
		case was:
			c.Gone = append(c.Gone, id)
		case is:
			c.New = append(c.New, id)
		}
	}
	if len(common) < 2 {
		return nil, few(len(common))
	}
	before, after := make(side, len(common)), make(side, len(common))
	rng := rand.New(rand.NewPCG(opt.Seed, stream))
	var weight []float64
	for k, m := range t.at {
		count := int(math.Round(t.mass[k] * float64(opt.Draws)))
		if count == 0 {
			continue
		}
		d, err := m.Draws(ctx, -1, max(count, 1000), rng)
		if err != nil {
			return nil, err
		}
		all := resampled(d.Weight, count, rng)
		x, y := scores(d, first, all), scores(d, second, all)
		for i := range common {
			before[i], after[i] = append(before[i], x[i]...), append(after[i], y[i]...)
		}
		for range count {
			weight = append(weight, 1)
		}
	}
	for k := range weight {
		weight[k] /= float64(len(weight))
	}
	return c, c.fill(ctx, common, before, after, weight)
}

// Still is the probability that nothing moved: the two boards say the same. It is −1 where
// that was not asked, above MostOnGrid items.
func (t *Twins) Still() float64 { return t.still }
