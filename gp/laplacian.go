package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// Laplacian is the precision A = P + L of items that are compared: P is diagonal,
// what each has of its own, and L = Σ τ_r b_rb_rᵀ is what rows say.
type Laplacian struct {
	*Comparisons
	prec []float64 // P
	base []float64 // with rows of an item alone
	tau  []float64 // by pair
	pull []float64 // tau, by end of a pair
	diag []float64 // of A
}

// Laplacian returns the precision under the sites of the rows, site r counted
// count[r] times (nil: once each).
func (g *Comparisons) Laplacian(prec []float64, sites []Site, count []float64) *Laplacian {
	l := &Laplacian{Comparisons: g, prec: prec, base: slices.Clone(prec), tau: make([]float64, len(g.pairs))}
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
	l.diag, l.pull = make([]float64, len(prec)), make([]float64, len(g.ends))
	l.add()
	return l
}

// add finds the diagonal, and what ends pull by.
func (l *Laplacian) add() {
	for k, e := range l.ends {
		l.pull[k] = l.tau[e.pair]
	}
	copy(l.diag, l.base)
	for k, x := range l.pairs {
		l.diag[x[0]] += l.tau[k]
		l.diag[x[1]] += l.tau[k]
	}
}

// Set changes the precision to s/λ for every item of its own, and to tau between the two of
// every pair.
func (l *Laplacian) Set(s float64, lambda, tau []float64) {
	for i, old := range l.prec {
		l.prec[i] = s / lambda[i]
		l.base[i] += l.prec[i] - old
	}
	copy(l.tau, tau)
	l.add()
}

// times returns the precision multiplied by c.
func (l *Laplacian) times(c float64) *Laplacian {
	by := func(x []float64) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = c * v
		}
		return y
	}
	return &Laplacian{l.Comparisons, by(l.prec), by(l.base), by(l.tau), by(l.pull), by(l.diag)}
}

// Own returns the diagonal of P, not to be modified.
func (l *Laplacian) Own() []float64 { return l.prec }

// Diag returns the diagonal of A, not to be modified.
func (l *Laplacian) Diag() []float64 { return l.diag }

// mul sets dst = Ax for a matrix x of so many columns, a row an item.
func (l *Laplacian) mul(dst, x []float64, cols int) {
	if cols == 1 {
		for i, d := range l.diag {
			ends := l.endsOf(i)
			pull := l.pull[l.start[i]:][:len(ends)]
			y := d * x[i]
			for k, e := range ends {
				y -= pull[k] * x[e.other]
			}
			dst[i] = y
		}
		return
	}
	for i, d := range l.diag {
		y, xi := dst[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols]
		for c, v := range xi {
			y[c] = d * v
		}
		for k, e := range l.endsOf(i) {
			j := int(e.other)
			simd.Axpy(-l.pull[int(l.start[i])+k], simd.Vec(x[j*cols:(j+1)*cols]), simd.Vec(y))
		}
	}
}

// pulled sets dst = Lx.
func (l *Laplacian) pulled(dst, x []float64, cols int) {
	num.Parallel(len(l.diag), rowGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			y, xi := dst[i*cols:(i+1)*cols], x[i*cols:(i+1)*cols]
			alone := l.base[i] - l.prec[i]
			for c, v := range xi {
				y[c] = alone * v
			}
			for _, e := range l.endsOf(i) {
				j, t := int(e.other), l.tau[e.pair]
				for c, v := range x[j*cols : (j+1)*cols] {
					y[c] += t * (xi[c] - v)
				}
			}
		}
	})
}

// Solve improves x until |Ax − b| is below tolerance·|b|, both matrices of so many
// columns, a row an item, by conjugate gradients under the diagonal of A, and under pairs
// that hold together (see mates). A is diagonally dominant, so that steps are few.
func (l *Laplacian) Solve(x, b []float64, cols int, tolerance float64) {
	l.solve(x, b, make([]float64, 3*len(x)), cols, tolerance)
}

// solve is Solve with room for three times as much as x.
func (l *Laplacian) solve(x, b, room []float64, cols int, tolerance float64) {
	n := len(x)
	r, p, ap := room[:n:n], room[n:2*n:2*n], room[2*n:]
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
	mates := l.mates()
	rz += l.together(p, r, mates, cols)
	for range maxSolve {
		if rz <= tolerance*tolerance*norm {
			return
		}
		l.mul(ap, p, cols)
		alpha := rz / simd.Dot(simd.Vec(p), simd.Vec(ap))
		simd.Axpy(alpha, simd.Vec(p), simd.Vec(x))
		simd.Axpy(-alpha, simd.Vec(ap), simd.Vec(r))
		var next float64
		for i, d := range l.diag {
			for k := i * cols; k < (i+1)*cols; k++ {
				ap[k] = r[k] / d
				next += r[k] * ap[k]
			}
		}
		next += l.together(ap, r, mates, cols)
		beta := next / rz
		for k, z := range ap {
			p[k] = z + beta*p[k]
		}
		rz = next
	}
}

// held is the share of the precision of two items, by its square, from which on their
// pair holds them together.
const held = 0.25

// mates returns pairs that hold two items together, such as an item and its spread part, so
// that none is in two.
func (l *Laplacian) mates() (mates []int32) {
	var taken []bool
	for k, p := range l.pairs {
		i, j := p[0], p[1]
		if t := l.tau[k]; t*t <= held*l.diag[i]*l.diag[j] {
			continue
		}
		if taken == nil {
			taken = make([]bool, len(l.diag))
		}
		if !taken[i] && !taken[j] {
			taken[i], taken[j] = true, true
			mates = append(mates, int32(k))
		}
	}
	return mates
}

// together makes of z, which is r over the diagonal of A, what solves for both items of
// every pair that holds them together, and returns what that adds to rᵀz.
func (l *Laplacian) together(z, r []float64, mates []int32, cols int) (sum float64) {
	for _, k := range mates {
		p, t := l.pairs[k], l.tau[k]
		d, e := l.diag[p[0]], l.diag[p[1]]
		det := d*e - t*t
		i, j := int(p[0])*cols, int(p[1])*cols
		for c := range cols {
			x, y := r[i+c], r[j+c]
			u, v := (e*x+t*y)/det, (t*x+d*y)/det
			sum += x*(u-z[i+c]) + y*(v-z[j+c])
			z[i+c], z[j+c] = u, v
		}
	}
	return sum
}

// maxSolve bounds the steps of a solve.
const maxSolve = 2000

// columns is how many right-hand sides are solved for at a time.
const columns = 64

// Smooth returns Ψ = A⁻¹PΦ, what weights that tell of the items by Φ mean to them
// once rows have spoken, solved for from start (nil: from nothing).
func (l *Laplacian) Smooth(phi, start *mat.Dense, tolerance float64) *mat.Dense {
	n, d := phi.Dims()
	psi := mat.NewDense(n, d, nil)
	num.Parallel(d, columns, func(lo, hi int) {
		cols := hi - lo
		x, b := make([]float64, n*cols), make([]float64, n*cols)
		for i := range n {
			xi, bi := x[i*cols:(i+1)*cols], b[i*cols:(i+1)*cols]
			simd.Axpy(l.prec[i], simd.Vec(phi.RawRowView(i)[lo:hi]), simd.Vec(bi))
			if start != nil {
				copy(xi, start.RawRowView(i)[lo:hi])
			} else {
				simd.Axpy(1/l.diag[i], simd.Vec(bi), simd.Vec(xi))
			}
		}
		l.Solve(x, b, cols, tolerance)
		for i := range n {
			copy(psi.RawRowView(i)[lo:hi], x[i*cols:(i+1)*cols])
		}
	})
	return psi
}

// Heard returns ΨᵀLΨ + (Φ−Ψ)ᵀP(Φ−Ψ), the precision that rows leave on weights. It is
// exact to second order in an error of Ψ, and what a bound has to have whatever Ψ is.
func (l *Laplacian) Heard(phi, psi *mat.Dense) *mat.SymDense {
	n, d := phi.Dims()
	rest := mat.NewDense(n, d, nil)
	l.pulled(rest.RawMatrix().Data, psi.RawMatrix().Data, d)
	full := mat.NewDense(d, d, nil)
	simd.Gemm(blas.Trans, blas.NoTrans, 1, psi.RawMatrix(), rest.RawMatrix(), 0, full.RawMatrix())
	for i, p := range l.prec {
		y, a, b := rest.RawRowView(i), phi.RawRowView(i), psi.RawRowView(i)
		root := math.Sqrt(p)
		for c := range y {
			y[c] = root * (a[c] - b[c])
		}
	}
	out := mat.NewSymDense(d, nil)
	simd.Syrk(blas.Trans, 1, rest.RawMatrix(), 0, out.RawSymmetric())
	for i := range d {
		for j := i; j < d; j++ {
			out.SetSym(i, j, out.At(i, j)+0.5*(full.At(i, j)+full.At(j, i)))
		}
	}
	return out
}

// noise sets x to so many draws from N(0, A⁻¹), a row an item, with room for four times
// as much.
func (l *Laplacian) noise(x, room []float64, cols int, rng *rand.Rand) {
	b := room[:len(x)]
	for i, t := range l.base {
		sd := math.Sqrt(t)
		for c := range cols {
			b[i*cols+c] = sd * rng.NormFloat64()
		}
	}
	for e, pair := range l.pairs {
		sd := math.Sqrt(l.tau[e])
		i, j := int(pair[0])*cols, int(pair[1])*cols
		for c := range cols {
			z := sd * rng.NormFloat64()
			b[i+c] += z
			b[j+c] -= z
		}
	}
	clear(x)
	l.solve(x, b, room[len(x):4*len(x)], cols, 1e-3) // far below what draws tell
}

// noiseRoom is about how many numbers a block of draws has at a time.
const noiseRoom = 3 << 20

// AddNoise adds joint draws from N(0, A⁻¹) to the rows of f, which may have only the first
// items: A⁻¹ times a draw from N(0, A), which is one of every item's base and of every
// pair.
func (l *Laplacian) AddNoise(ctx context.Context, f *mat.Dense, rng *rand.Rand) error {
	k, width := f.Dims()
	n := len(l.diag)
	columns := min(columns, max(8, noiseRoom/n)) // so that many processors do not take much room
	seeds := make([]uint64, (k+columns-1)/columns)
	for i := range seeds {
		seeds[i] = rng.Uint64()
	}
	rooms := sync.Pool{New: func() any {
		room := make([]float64, 5*n*columns)
		return &room
	}}
	return num.ParallelUntil(ctx, k, columns, func(lo, hi int) {
		rng, cols := rand.New(rand.NewPCG(seeds[lo/columns], 1)), hi-lo
		room := rooms.Get().(*[]float64)
		defer rooms.Put(room)
		all := *room
		x := all[:n*cols]
		l.noise(x, all[n*cols:5*n*cols], cols, rng)
		for i := range width {
			for c := range cols {
				f.Set(lo+c, i, f.At(lo+c, i)+x[i*cols+c])
			}
		}
	})
}
