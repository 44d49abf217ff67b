package active

import (
	"context"
	"math"
)

// foreseer is a strategy whose scores fall with the variance of a difference, so
// that a batch can be chosen pair by pair as if those before had been answered.
type foreseer interface{ foresees() }

func (BALD) foresees() {}
func (LEL) foresees()  {}

// foresight is the covariance of the items in question when the answers to a
// batch are in, on average over what they may be. Means are expected to stay.
type foresight struct {
	place []int // of each item among those in question
	cov   [][]float64
}

// foresee makes a view one that learns from the pairs of a batch.
func (v *view) foresee(ctx context.Context) (*foresight, error) {
	n := len(v.items)
	f := &foresight{place: make([]int, len(v.mean)), cov: make([][]float64, n)}
	for a, i := range v.items {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f.place[i] = a
		f.cov[a] = make([]float64, n)
		v.cov(f.cov[a], i, v.items)
		f.cov[a][a] = v.variance[i]
	}
	v.cov = func(dst []float64, item int, others []int) {
		row := f.cov[f.place[item]]
		for k, j := range others {
			dst[k] = row[f.place[j]]
		}
	}
	return f, nil
}

// Lost returns how much of the variance of a difference x ~ N(d, v) the answer to a pair is
// expected to take away, over v². The expected posterior variance is
// v − v²/(1+v)·φ²(u)/(Φ(u)Φ(−u)), u = d/√(1+v): by the law of total variance, as
// E[x|y] = d ± vφ(u)/(√(1+v)Φ(±u)).
func Lost(d, v float64) float64 {
	u := d / math.Sqrt(1+v)
	density := math.Exp(-0.5*u*u) / math.Sqrt(2*math.Pi)
	share := density * density / (tail(u) * tail(-u)) / (1 + v)
	if !(share > 0) || math.IsInf(share, 1) {
		return 0
	}
	return share
}

// answered takes the answer to a pair as given.
func (f *foresight) answered(v *view, i, j int, d, variance float64) {
	share := Lost(d, variance)
	if share == 0 {
		return
	}
	a, b := f.cov[f.place[i]], f.cov[f.place[j]]
	lean := make([]float64, len(a)) // covariance of each item with the difference
	for k := range lean {
		lean[k] = a[k] - b[k]
	}
	for k, row := range f.cov {
		for l := range row {
			row[l] -= share * lean[k] * lean[l]
		}
		v.variance[v.items[k]] = row[k]
	}
}
