package population

import (
	"sync"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
)

// LowRank is the population with covariance S = s(AAᵀ + kK + (1−k)I) and mean
// t + G·x_u, x_u the features of person u.
type LowRank struct {
	Items *Items
	Scale float64   // s
	Share float64   // k, the part of an item's own variance that its features explain
	D     int       // columns of A
	A     []float64 // N×D
	T     []float64 // N
	// G is N×F, the effect of each person feature on each item; Features are
	// those of the persons, F a row. Both nil without.
	G        []float64
	F        int
	Features []float64
	// Own is what items have of variance besides, by item, over s: those that
	// were not there to learn from. Nil without.
	Own []float64

	root *lazy // see ownFactor; nil: not kept
}

// lazy is found once.
type lazy struct {
	once sync.Once
	data []float64
}

func (p *LowRank) extra(i int) float64 {
	if p.Own == nil {
		return 0
	}
	return p.Own[i]
}

// NumItems returns the number of items.
func (p *LowRank) NumItems() int { return p.Items.N }

// Mean returns the prior mean of an item.
func (p *LowRank) Mean(u, item int) float64 {
	t := p.T[item]
	if u >= 0 && p.F > 0 {
		x := p.Features[u*p.F : (u+1)*p.F]
		for f, g := range p.G[item*p.F : (item+1)*p.F] {
			t += g * x[f]
		}
	}
	return t
}

// Cov returns the prior covariance of two items.
func (p *LowRank) Cov(i, j int) float64 {
	var s float64
	a, b := p.A[i*p.D:(i+1)*p.D], p.A[j*p.D:(j+1)*p.D]
	for d, x := range a {
		s += x * b[d]
	}
	if p.Items.K != nil {
		s += p.Share * p.Items.K[i*p.Items.N+j]
	}
	if i == j {
		s += 1 - p.Share + p.extra(i)
	}
	return p.Scale * s
}

// Apart returns the mean variance of a difference between people.
func (p *LowRank) Apart(n int) float64 {
	var trace, total float64
	column := make([]float64, p.D)
	for i := range n {
		trace += p.Cov(i, i)
		total += p.Scale * (1 - p.Share + p.extra(i))
		num.Axpy(1, p.A[i*p.D:(i+1)*p.D], column)
		if k := p.Items.K; k != nil {
			for _, c := range k[i*p.Items.N:][:n] {
				total += p.Scale * p.Share * c
			}
		}
	}
	return apart(n, trace, total+p.Scale*num.Dot(column, column))
}

func (p *LowRank) Fill(w *Person, u int, items []int32) {
	m, d := len(items), p.D
	if p.F > 0 {
		for i, item := range items {
			w.mean[i] = p.Mean(u, int(item))
		}
	} else {
		for i, item := range items {
			w.mean[i] = p.T[item]
		}
	}
	resize(&w.rows, m*d)
	for i, item := range items {
		copy(w.rows[i*d:(i+1)*d], p.A[int(item)*d:])
	}
	cov := w.Cov()
	if m > num.Plain && d > 0 {
		clear(cov)
		serialBLAS.Dsyrk(blas.Lower, blas.NoTrans, m, d, p.Scale, w.rows, d, 0, cov, m)
	} else {
		for i := range m {
			a := w.rows[i*d : (i+1)*d]
			for j := range i + 1 {
				b := w.rows[j*d : (j+1)*d]
				var s float64
				for c, x := range a {
					s += x * b[c]
				}
				cov[i*m+j] = p.Scale * s
			}
		}
	}
	own := p.Scale * (1 - p.Share)
	if k := p.Items.K; k != nil {
		resize(&w.kern, m*m)
		n := p.Items.N
		f := p.Scale * p.Share
		for i, a := range items {
			row, out, keep := k[int(a)*n:int(a)*n+n], cov[i*m:i*m+i+1], w.kern[i*m:i*m+i+1]
			for j, b := range items[:i+1] {
				v := row[b]
				keep[j] = v
				out[j] += f * v
			}
			out[i] += own
		}
	} else {
		for i := range m {
			cov[i*m+i] += own
		}
	}
	if p.Own != nil {
		for i, a := range items {
			cov[i*m+i] += p.Scale * p.Own[a]
		}
	}
	num.Mirror(cov, m)
}
