package gp

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"palate/internal/num"
)

// graph is which items rows compare: pairs of items, each with all its rows.
type graph struct {
	rows  *Rows
	pairs [][2]int32
	of    []int32 // of every row its pair, or −1−i for a row of item i alone
	start []int32 // of every item, where its ends begin
	ends  []end
}

// end is a pair as one of its items sees it.
type end struct {
	other, pair int32
}

// newGraph reads rows of one item, or of the difference of two.
func newGraph(items int, rows *Rows) *graph {
	g := &graph{rows: rows, of: make([]int32, rows.Len()), start: make([]int32, items+1)}
	type key struct {
		pair [2]int32
		row  int32
	}
	keys := make([]key, 0, rows.Len())
	for r := range rows.Len() {
		index, coef := rows.Row(r)
		switch {
		case len(index) == 1:
			g.of[r] = int32(-1 - index[0])
		case len(index) == 2 && coef[0] == -coef[1] && index[0] != index[1]:
			a, b := int32(min(index[0], index[1])), int32(max(index[0], index[1]))
			keys = append(keys, key{[2]int32{a, b}, int32(r)})
		default:
			panic("gp: with own parts a row is that of an item or of a difference")
		}
	}
	slices.SortFunc(keys, func(x, y key) int {
		if c := slices.Compare(x.pair[:], y.pair[:]); c != 0 {
			return c
		}
		return int(x.row) - int(y.row)
	})
	for k, x := range keys {
		if k == 0 || x.pair != keys[k-1].pair {
			g.pairs = append(g.pairs, x.pair)
			g.start[x.pair[0]+1]++
			g.start[x.pair[1]+1]++
		}
		g.of[x.row] = int32(len(g.pairs) - 1)
	}
	for i := range items {
		g.start[i+1] += g.start[i]
	}
	at := slices.Clone(g.start[:items])
	g.ends = make([]end, 2*len(g.pairs))
	for k, x := range g.pairs {
		for side, i := range x {
			g.ends[at[i]] = end{x[1-side], int32(k)}
			at[i]++
		}
	}
	return g
}

// with returns the graph of more items, which nothing is compared with.
func (g *graph) with(items int) *graph {
	out := *g
	out.start = slices.Clone(g.start)
	for len(out.start) <= items {
		out.start = append(out.start, g.start[len(g.start)-1])
	}
	return &out
}

func (g *graph) endsOf(i int) []end { return g.ends[g.start[i]:g.start[i+1]] }

// between returns the pair of two items, −1 without.
func (g *graph) between(i, j int) int {
	list := g.endsOf(i) // pairs are sorted, so an item's ends are, by the other item
	k, ok := slices.BinarySearchFunc(list, int32(j), func(e end, j int32) int { return int(e.other - j) })
	if !ok {
		return -1
	}
	return int(list[k].pair)
}

// laplacian is the precision A = diag(base) + Σ τ_r b_rb_rᵀ of items.
type laplacian struct {
	*graph
	base []float64 // with rows of an item alone
	tau  []float64 // by pair
	diag []float64 // of A
}

func newLaplacian(g *graph, base []float64, sites []Site, count []float64) *laplacian {
	l := &laplacian{graph: g, base: base, tau: make([]float64, len(g.pairs))}
	for r, s := range sites {
		_, coef := g.rows.Row(r)
		t := s.Tau * coef[0] * coef[0]
		if count != nil {
			t *= count[r]
		}
		if k := g.of[r]; k < 0 {
			l.base[-1-k] += t
		} else {
			l.tau[k] += t
		}
	}
	l.diag = slices.Clone(l.base)
	for k, x := range g.pairs {
		l.diag[x[0]] += l.tau[k]
		l.diag[x[1]] += l.tau[k]
	}
	return l
}

// mul sets dst = Ax for a matrix x of so many columns, a row an item.
func (l *laplacian) mul(dst, x []float64, cols int) {
	for i, d := range l.diag {
		y, xi := dst[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols]
		for c, v := range xi {
			y[c] = d * v
		}
		for _, e := range l.endsOf(i) {
			j := int(e.other)
			blas64.Axpy(-l.tau[e.pair], vec(x[j*cols:(j+1)*cols]), vec(y))
		}
	}
}

// pulled sets dst = Σ τ_r b_rb_rᵀ x, without the base.
func (l *laplacian) pulled(dst, x []float64, cols int) {
	num.Parallel(len(l.diag), rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y, xi := dst[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols]
			clear(y)
			for _, e := range l.endsOf(i) {
				j, t := int(e.other), l.tau[e.pair]
				for c, v := range x[j*cols : (j+1)*cols] {
					y[c] += t * (xi[c] - v)
				}
			}
		}
	})
}

// solve improves x until |Ax − b| is below tolerance·|b|, by conjugate gradients
// under the diagonal of A. A is diagonally dominant, so that steps are few.
func (l *laplacian) solve(x, b []float64, cols int, tolerance float64) {
	n := len(x)
	r, p, ap := make([]float64, n), make([]float64, n), make([]float64, n)
	l.mul(r, x, cols)
	var norm, rz float64
	for i, d := range l.diag {
		for k := i * cols; k < (i+1)*cols; k++ {
			r[k] = b[k] - r[k]
			p[k] = r[k] / d
			rz += r[k] * p[k]
			norm += b[k] * b[k] / d
		}
	}
	for range maxSolve {
		if rz <= tolerance*tolerance*norm {
			return
		}
		l.mul(ap, p, cols)
		alpha := rz / blas64.Dot(vec(p), vec(ap))
		blas64.Axpy(alpha, vec(p), vec(x))
		blas64.Axpy(-alpha, vec(ap), vec(r))
		var next float64
		for i, d := range l.diag {
			for k := i * cols; k < (i+1)*cols; k++ {
				ap[k] = r[k] / d
				next += r[k] * ap[k]
			}
		}
		beta := next / rz
		for k, z := range ap {
			p[k] = z + beta*p[k]
		}
		rz = next
	}
}

// maxSolve bounds the steps of a solve.
const maxSolve = 2000
