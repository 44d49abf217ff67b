package simd

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
)

// CSR holds the non-zero features of n rows: those of row i are Data[Ptr[i]:Ptr[i+1]], in the columns Index, ascending.
type CSR struct {
	Rows, Cols int
	Ptr, Index []int
	Data       []float64
}

func (c CSR) row(i int) ([]int, []float64) {
	a, b := c.Ptr[i], c.Ptr[i+1]
	return c.Index[a:b], c.Data[a:b]
}

// EuclideanSparse is Euclidean for sparse rows.
func EuclideanSparse(dst blas64.General, s Shape, x, y CSR, inv []float64) {
	mode{}.sparse(dst, euclidean(s), x, y, inv)
}

// ProductSparse is Product for sparse rows.
func ProductSparse(dst blas64.General, s Shape, x, y CSR, inv []float64) {
	mode{}.sparse(dst, product(s), x, y, inv)
}

// alone is what a row gathers against the origin.
type alone struct{ s, p, e float64 }

// postings lists by feature the rows that have it: rows[ptr[d]:ptr[d+1]] with their scaled values.
type postings struct {
	ptr  []int
	rows []int32
	vals []float64
}

// sparse never looks at a feature that both rows lack. Each row's sum against the origin is known; a feature that two rows share
// corrects the sum of their two parts. The features of x find their partners through an index of y, so the work per pair is the
// number of features the two share. Where the correction would cancel most of the sum the two rows are merged instead.
func (m mode) sparse(dst blas64.General, f form, x, y CSR, inv []float64) {
	if x.Cols != y.Cols || len(inv) != x.Cols || dst.Rows != x.Rows || dst.Cols != y.Rows {
		panic("simd: sparse kernel matrix: shapes do not match")
	}
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	w := make([]float64, len(inv))
	for d, v := range inv {
		w[d] = v * f.scale
	}
	index := post(y, w)
	part := make([]alone, y.Rows)
	for j := range part {
		part[j] = f.alone(y, j, w)
	}
	const rows = 16
	spread((x.Rows+rows-1)/rows, m.workers(), func(t int) {
		buf := spare.Get().(*buffers)
		wide := roundUp(y.Rows, 4)
		store := grow(&buf.a, 3*wide)
		for i := t * rows; i < min(x.Rows, (t+1)*rows); i++ {
			s, p, e := store[:wide], store[wide:2*wide], store[2*wide:]
			m.sparseRow(f, x, y, i, w, index, part, s, p, e)
			copy(dst.Data[i*dst.Stride:i*dst.Stride+y.Rows], s)
		}
		spare.Put(buf)
	})
}

// nearly is the share of the sum of two rows' parts below which rounding of the parts would show.
const nearly = 1.0 / 16

func (m mode) sparseRow(f form, x, y CSR, i int, w []float64, index postings, part []alone, s, p, e []float64) {
	own := f.alone(x, i, w)
	for j, a := range part {
		s[j], p[j], e[j] = own.s+a.s, own.p*a.p, own.e+a.e
	}
	for j := len(part); j < len(s); j++ {
		s[j], p[j], e[j] = 0, 1, 0
	}
	features, values := x.row(i)
	since := 0
	for q, d := range features {
		a, b := index.ptr[d], index.ptr[d+1]
		if a == b {
			continue
		}
		v := values[q] * w[d]
		f.share(v, index.rows[a:b], index.vals[a:b], s, p)
		if since++; f.product() && since == 8 {
			m.fold(p, e)
			since = 0
		}
	}
	for j, a := range part {
		if !(s[j] > nearly*(own.s+a.s)) {
			s[j], p[j], e[j] = f.merge(x, y, i, j, w)
		}
	}
	m.finish(f.finish, s, p, e)
}

// share corrects the sums of the rows that have a feature too: what both had against the origin goes, their difference comes.
func (f form) share(v float64, rows []int32, vals []float64, s, p []float64) {
	vals = vals[:len(rows)]
	a := math.Abs(v)
	switch f.gather {
	case squares:
		for q, j := range rows {
			s[j] -= 2 * v * vals[q]
		}
	case spans:
		for q, j := range rows {
			u := vals[q]
			s[j] += math.Abs(v-u) - a - math.Abs(u)
		}
	case lines:
		for q, j := range rows {
			u := vals[q]
			b, d := math.Abs(u), math.Abs(v-u)
			s[j] += d - a - b
			p[j] *= (1 + d) / ((1 + a) * (1 + b))
		}
	case conics:
		fa := 1 + a*(1+a*(1.0/3))
		for q, j := range rows {
			u := vals[q]
			b, d := math.Abs(u), math.Abs(v-u)
			s[j] += d - a - b
			p[j] *= (1 + d*(1+d*(1.0/3))) / (fa * (1 + b*(1+b*(1.0/3))))
		}
	}
}

// add gathers one scaled difference.
func (f form) add(a *alone, d float64) {
	d = math.Abs(d)
	switch f.gather {
	case squares:
		a.s += d * d
		return
	case lines:
		a.p *= 1 + d
	case conics:
		a.p *= 1 + d*(1+d*(1.0/3))
	}
	a.s += d
	if a.p > 0x1p500 {
		m, e := split(a.p)
		a.p = m
		a.e += e
	}
}

func (f form) alone(c CSR, i int, w []float64) alone {
	a := alone{p: 1}
	index, data := c.row(i)
	for q, d := range index {
		f.add(&a, data[q]*w[d])
	}
	m, e := split(a.p)
	a.p = m
	a.e += e
	return a
}

// merge gathers two rows side by side.
func (f form) merge(x, y CSR, i, j int, w []float64) (s, p, e float64) {
	a := alone{p: 1}
	xi, xv := x.row(i)
	yi, yv := y.row(j)
	for len(xi) > 0 || len(yi) > 0 {
		switch {
		case len(yi) == 0 || len(xi) > 0 && xi[0] < yi[0]:
			f.add(&a, xv[0]*w[xi[0]])
			xi, xv = xi[1:], xv[1:]
		case len(xi) == 0 || yi[0] < xi[0]:
			f.add(&a, yv[0]*w[yi[0]])
			yi, yv = yi[1:], yv[1:]
		default:
			f.add(&a, (xv[0]-yv[0])*w[xi[0]])
			xi, xv, yi, yv = xi[1:], xv[1:], yi[1:], yv[1:]
		}
	}
	return a.s, a.p, a.e
}

func post(y CSR, w []float64) postings {
	p := postings{make([]int, y.Cols+1), make([]int32, len(y.Index)), make([]float64, len(y.Index))}
	for _, d := range y.Index {
		p.ptr[d+1]++
	}
	for d := range y.Cols {
		p.ptr[d+1] += p.ptr[d]
	}
	at := make([]int, y.Cols)
	copy(at, p.ptr)
	for j := range y.Rows {
		index, data := y.row(j)
		for q, d := range index {
			p.rows[at[d]], p.vals[at[d]] = int32(j), data[q]*w[d]
			at[d]++
		}
	}
	return p
}
