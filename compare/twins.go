package compare

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
	"palate/model"
)

// twinKernel is the covariance of the utilities of n items on two boards, points i and n + i:
// the variance of the second is ratio² times that of the first, with a correlation between the
// two of an item.
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
		return k.correlation
	case i >= k.n:
		return k.ratio
	}
	return 1 / k.ratio
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

// mostOnGrid is the most items of which the grid is gone through: the covariance of all is
// dense there, and is factored again and again. The boards of more items are linked
// instead, each item with itself, at the likeliest hyper-parameters and as if both were
// equally spread, in time that grows with the votes: intervals are then a little narrow.
const mostOnGrid = 200

// twinNode is a point of the grid: places in moves and ratios.
type twinNode struct{ move, ratio int }

// The grid: deviations of what items move by, in deviations of utilities, from boards that
// have nothing in common to such as are the same, and logarithms of the ratio of spreads. The
// correlation of an item's utilities on two boards is 1 − move²/2.
var (
	twinMoves  = []float64{math.Sqrt2, 1, math.Sqrt2 / 2, 0.5, math.Sqrt2 / 4, 0.25, 0.125, 0.0014}
	twinRatios = []float64{-0.9, -0.45, -0.22, 0, 0.22, 0.45, 0.9}
)

// What is taken to be probable before votes are seen: nothing moved with probability
// stillShare; else the deviation of moves is below some part of that of boards with nothing in
// common with a probability of the root of that part, so that small moves are likelier than
// large ones. The logarithm of the ratio of spreads is Gaussian, with a deviation that grows
// with what moved. The prior matters: files of a few hundred votes say little of either.
const (
	stillShare             = 0.1
	leastRatio, ratioSlope = 0.1, 0.3
)

// twinPrior is the log of the share of a node before votes are seen: that of what is nearest
// to it.
func twinPrior(at twinNode) float64 {
	last := len(twinMoves) - 1
	move := twinMoves[at.move]
	lo, hi := 0.0, math.Sqrt2
	if at.move < last {
		lo = 0.5 * (move + twinMoves[at.move+1])
	}
	if at.move > 0 {
		hi = 0.5 * (move + twinMoves[at.move-1])
	}
	share := (1 - stillShare) * (math.Sqrt(hi/math.Sqrt2) - math.Sqrt(lo/math.Sqrt2))
	if at.move == last {
		share += stillShare
	}
	deviation := max(leastRatio, ratioSlope*move)
	k := min(at.ratio, len(twinRatios)-1-at.ratio) // below and above alike; below there is no 1 − Φ
	below, above := 0.0, num.Phi(0.5*(twinRatios[k]+twinRatios[k+1])/deviation)
	if k > 0 {
		below = num.Phi(0.5 * (twinRatios[k-1] + twinRatios[k]) / deviation)
	}
	return math.Log(share) + math.Log(above-below)
}

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
	opt := *cmp.Or(o, &model.Options{})
	t := &Twins{}
	for i := range n {
		t.ids = append(t.ids, d.ItemID(i))
	}
	if n > mostOnGrid {
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
	still := twinNode{len(twinMoves) - 1, len(twinRatios) / 2}
	middle := twinNode{still.move / 2, still.ratio}
	opt.Kernel = twinKernelOf(n, middle)
	fit, err := model.FitSingle(ctx, both, &opt)
	if err != nil {
		return err
	}
	// As long as nodes have a share of the mass those beside them are looked at.
	var nodes []twinNode
	seen := map[twinNode]bool{}
	next := []twinNode{middle}
	top := math.Inf(-1)
	for len(next) > 0 {
		at := next[0]
		next = next[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		m, err := fit.Under(ctx, twinKernelOf(n, at))
		if err != nil {
			return err
		}
		log, err := m.Evidence(ctx)
		if err != nil {
			return err
		}
		log += twinPrior(at)
		t.at, t.mass, nodes = append(t.at, m), append(t.mass, log), append(nodes, at)
		if top = max(top, log); log < top+math.Log(leastMass) {
			continue
		}
		for _, to := range []twinNode{{at.move - 1, at.ratio}, {at.move + 1, at.ratio}, {at.move, at.ratio - 1}, {at.move, at.ratio + 1}} {
			if to.move >= 0 && to.move < len(twinMoves) && to.ratio >= 0 && to.ratio < len(twinRatios) {
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
		if t.mass[k] /= sum; nodes[k] == still {
			t.still = t.mass[k]
		}
	}
	return nil
}

// twinKernelOf is the covariance at a node of the grid.
func twinKernelOf(n int, at twinNode) twinKernel {
	move := twinMoves[at.move]
	return twinKernel{n, 1 - 0.5*move*move, math.Exp(twinRatios[at.ratio])}
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
// that was not asked, above mostOnGrid items.
func (t *Twins) Still() float64 { return t.still }
