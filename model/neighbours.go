package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/stat"

	"palate/internal/num"
	"palate/internal/simd"
)

// Neighbour is a voter, or an item, that is like another.
type Neighbour struct {
	Index     int     // of the user or the item
	Alike, SD float64 // the correlation of their tastes, from −1 to 1, and its deviation
}

// Neighbours tells which voters, or which items, go together. A taste is what a voter likes an
// item more than voters do on the whole: their utility less the mean of their items, less the
// mean of this over voters. Voters are alike as their tastes correlate over items, items as
// tastes for them correlate over voters. Both are of joint draws of what is known of every
// voter, so that of voters of whom little is known little is said.
type Neighbours struct {
	voters bool
	items  []int // that are comparable: dimensions of voters' tastes
	things []int // users, or items
	place  []int // of a user or an item among the things; −1: it is none
	draws  int
	dims   int
	rows   []float64 // by thing and draw: tastes, of length one
	keys   []float64 // by thing: the mean taste over the root mean square of its length
	common []float64 // by draw and item: the mean of all voters
}

const (
	mostTastes   = 1 << 24 // voters times items
	drawnTastes  = 1 << 25 // of all draws together
	leastDrawn   = 4
	mostDrawn    = 32
	mostCombined = 64 // pairs of draws of two voters, about
)

// VoterNeighbours prepares for questions about voters, ItemNeighbours about items, by the seed.
func VoterNeighbours(ctx context.Context, m Model, seed uint64) (*Neighbours, error) {
	return newNeighbours(ctx, m, seed, true)
}

// ItemNeighbours is VoterNeighbours for items.
func ItemNeighbours(ctx context.Context, m Model, seed uint64) (*Neighbours, error) {
	return newNeighbours(ctx, m, seed, false)
}

func newNeighbours(ctx context.Context, m Model, seed uint64, voters bool) (*Neighbours, error) {
	items, users := m.Groups()[0], m.NumUsers()
	switch {
	case users == 0:
		return nil, fmt.Errorf("model: a %s model has one board for everybody, and no tastes; fit one with --model population", m.Name())
	case users < 3 || len(items) < 3:
		return nil, fmt.Errorf("model: tastes of %d voters for %d items; it takes three of both", users, len(items))
	case users*len(items) > mostTastes:
		return nil, fmt.Errorf("model: tastes of %d voters for %d items; at most %d together are compared", users, len(items), mostTastes)
	}
	t := &Neighbours{voters: voters, items: items, draws: min(max(drawnTastes/(users*len(items)), leastDrawn), mostDrawn)}
	n := len(items)
	tastes := make([]float64, users*t.draws*n) // by user, draw and item
	t.common = make([]float64, t.draws*n)
	for u := range users {
		to := tastes[u*t.draws*n : (u+1)*t.draws*n]
		if err := t.draw(ctx, to, m, u, seed); err != nil {
			return nil, err
		}
		num.Axpy(1/float64(users), to, t.common)
	}
	for u := range users {
		num.Axpy(-1, t.common, tastes[u*t.draws*n:(u+1)*t.draws*n])
	}
	if voters {
		t.place = make([]int, users)
		for u := range users {
			t.things, t.place[u] = append(t.things, u), u
		}
		t.dims, t.rows = n, tastes
		t.keys = make([]float64, users*n)
		for u := range users {
			t.reduce(t.keys[u*n:(u+1)*n], tastes[u*t.draws*n:(u+1)*t.draws*n])
		}
		return t, ctx.Err()
	}
	t.dims, t.things, t.place = users, items, make([]int, m.NumItems())
	for i := range t.place {
		t.place[i] = -1
	}
	t.rows = make([]float64, len(tastes))
	for at, i := range items {
		t.place[i] = at
		block := t.rows[at*t.draws*users : (at+1)*t.draws*users]
		for k := range t.draws {
			row := block[k*users : (k+1)*users]
			for u := range row {
				row[u] = tastes[(u*t.draws+k)*n+at]
			}
			shrink(row)
		}
	}
	t.keys = t.rows
	return t, ctx.Err()
}

// draw sets dst to draws of a user's utilities, each less its mean.
func (t *Neighbours) draw(ctx context.Context, dst []float64, p Predictor, user int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, uint64(user)))
	d, err := p.Draws(ctx, user, t.draws, rng)
	if err != nil {
		return err
	}
	at, sum, start := 0, d.Weight[0], rng.Float64()
	for k := range t.draws {
		for at < len(d.Weight)-1 && sum*float64(t.draws) < float64(k)+start { // as often as it weighs
			at++
			sum += d.Weight[at]
		}
		row, f, mean := dst[k*len(t.items):(k+1)*len(t.items)], d.F.RawRowView(at), 0.0
		for j, i := range t.items {
			row[j] = f[i]
			mean += f[i] / float64(len(row))
		}
		for j := range row {
			row[j] -= mean
		}
	}
	return nil
}

// reduce makes a key of the draws of a voter's taste, and gives these the length one.
func (t *Neighbours) reduce(key, draws []float64) {
	square := num.Dot(draws, draws)
	if square == 0 {
		return
	}
	by := 1 / math.Sqrt(square*float64(t.draws)) // of the mean of draws, over the root of their mean square
	for k := range t.draws {
		row := draws[k*len(key) : (k+1)*len(key)]
		num.Axpy(by, row, key)
		shrink(row)
	}
}

// shrink gives a vector the length one, unless it is zero.
func shrink(x []float64) {
	length := math.Sqrt(num.Dot(x, x))
	for i := range x {
		if length > 0 {
			x[i] /= length
		}
	}
}

// width is that of keys.
func (t *Neighbours) width() int { return len(t.keys) / len(t.things) }

// Of returns the n nearest neighbours of each of some users or items, the nearest first. Items
// that are not comparable with most have none.
func (t *Neighbours) Of(ctx context.Context, indices []int, n int) ([][]Neighbour, error) {
	const together = 64 // so that what they are held against is read once
	found, w, size := make([][]Neighbour, len(indices)), t.width(), t.draws*t.dims
	for lo := 0; lo < len(indices); lo += together {
		some := indices[lo:min(lo+together, len(indices))]
		keys := make([]float64, len(some)*w)
		for k, i := range some {
			if at := t.place[i]; at >= 0 {
				copy(keys[k*w:], t.keys[at*w:(at+1)*w])
			}
		}
		near := t.near(keys, len(some))
		err := num.ParallelUntil(ctx, len(some), 1, func(from, to int) {
			for k := from; k < to; k++ {
				if at := t.place[some[k]]; at >= 0 {
					found[lo+k] = t.best(near[k*len(t.things):(k+1)*len(t.things)], t.rows[at*size:(at+1)*size], at, n)
				}
			}
		})
		if err != nil {
			return nil, err
		}
	}
	return found, ctx.Err()
}

// OfNewcomer returns the n voters who are nearest to somebody new.
func (t *Neighbours) OfNewcomer(ctx context.Context, p Newcomer, n int, seed uint64) ([]Neighbour, error) {
	if !t.voters {
		return nil, fmt.Errorf("model: somebody new has no neighbours among items")
	}
	draws, key := make([]float64, t.draws*t.dims), make([]float64, t.dims)
	if err := t.draw(ctx, draws, p.Alone(), -1, seed); err != nil {
		return nil, err
	}
	num.Axpy(-1, t.common, draws)
	t.reduce(key, draws)
	return t.best(t.near(key, 1), draws, -1, n), ctx.Err()
}

// near holds all things against some keys, a row for each of these.
func (t *Neighbours) near(keys []float64, some int) []float64 {
	w, all := t.width(), len(t.things)
	near := make([]float64, some*all)
	simd.Gemm(blas.NoTrans, blas.Trans, 1, simd.General{Rows: some, Cols: w, Stride: w, Data: keys},
		simd.General{Rows: all, Cols: w, Stride: w, Data: t.keys}, 0, simd.General{Rows: some, Cols: all, Stride: all, Data: near})
	return near
}

// best looks at the draws of those that are near.
func (t *Neighbours) best(near, rows []float64, self, n int) []Neighbour {
	var order []int
	for at := range near {
		if at != self {
			order = append(order, at)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(a, b)) })
	n = min(n, len(order))
	order = order[:min(len(order), n+n/2+10)]
	size := t.draws * t.dims
	found := make([]Neighbour, len(order))
	for k, at := range order {
		found[k] = t.alike(rows, t.rows[at*size:(at+1)*size])
		found[k].Index = t.things[at]
	}
	slices.SortFunc(found, func(a, b Neighbour) int { return cmp.Or(cmp.Compare(b.Alike, a.Alike), cmp.Compare(a.Index, b.Index)) })
	return found[:n]
}

// alike correlates two by their draws. Draws of different voters are independent, so that each
// goes with several of the other's; those of items are of the same voters.
//
// The draws of all voters take the covariance of items as known, though it was learned from these
// voters. Even if their tastes had been seen, its correlation would vary about theirs by w =
// (1−r²)²/voters, and draws of variance v follow it by the share v/w: by the law of total
// variance that of the correlation of items is v + (v/w)²w. It is at most that of a correlation
// of which nothing is known.
func (t *Neighbours) alike(a, b []float64) (x Neighbour) {
	shifts := 1
	if t.voters {
		shifts = min(t.draws, max(1, mostCombined/t.draws)|1) // to both sides alike
	}
	correlations := make([]float64, 0, shifts*t.draws)
	for s := range shifts {
		for k := range t.draws {
			l := (k + s + t.draws - shifts/2) % t.draws
			correlations = append(correlations, num.Dot(a[k*t.dims:(k+1)*t.dims], b[l*t.dims:(l+1)*t.dims]))
		}
	}
	var v float64
	x.Alike, v = stat.PopMeanVariance(correlations, nil)
	if !t.voters {
		const rounding = 1e-9
		w := math.Pow(max(1-x.Alike*x.Alike, rounding), 2) / float64(t.dims)
		v = min(v+v*v/w, 1./3)
	}
	x.SD = math.Sqrt(v)
	return x
}
