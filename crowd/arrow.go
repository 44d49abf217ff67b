package crowd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// arrow is a Gaussian over the utilities t = Φe + n of items, in which e are
// weights of features and n_i is item i's own, with precision
//
//	diag(base) + (Φ I)ᵀ Λ (Φ I),   Λ = Σ_r τ_r b_r b_rᵀ.
//
// Λ joins only items that were compared, so that the n are eliminated exactly
// one component of the comparison graph after the other. With A = s_n I + Λ and
// Ψ = s_n A⁻¹Φ what is left of the weights has precision S = diag(s) + ΦᵀΛΨ, and
// the utilities have covariance A⁻¹ + ΨS⁻¹Ψᵀ.
//
// Where a component is too large to be inverted, the n are taken to be apart given
// the weights, with the diagonal of A for their precisions: a Gaussian that has the
// same means and weights, and a bound of its own (see package gp, Own parts).
type arrow struct {
	*graph
	phi  *mat.Dense // items × weights
	base []float64  // precisions before the votes: of every weight, and last of every n
	tau  []float64  // by row of the graph

	inner  []*mat.SymDense // A⁻¹ of every component, or
	apart  *gp.Laplacian   // A, where the graph is wide
	psi    *mat.Dense
	upper  *mat.TriDense // U with UᵀU = S
	root   *mat.Dense    // ΨU⁻¹
	logDet float64       // of the precision
	trace  []float64     // variances of the weights, and last the sum of those of the n
}

// newArrow factors the precision. It may start from another one of the same items.
func newArrow(g *graph, phi *mat.Dense, base, tau []float64, near *arrow) (*arrow, error) {
	if g.wide != nil {
		return newWideArrow(g, phi, base, tau, near)
	}
	n, d := phi.Dims()
	own := base[d]
	a := &arrow{graph: g, phi: phi, base: base, tau: tau, inner: make([]*mat.SymDense, len(g.parts)),
		psi: mat.NewDense(n, d, nil), trace: make([]float64, d+1)}
	pulled := mat.NewDense(n, d, nil) // ΛΨ
	logDets := make([]float64, len(g.parts))
	bad := make([]bool, len(g.parts))
	laplacians := g.laplacians(tau)
	num.Parallel(len(g.parts), 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			items := g.parts[c]
			laplacian := laplacians[c]
			prec := mat.NewSymDense(len(items), nil)
			prec.CopySym(laplacian)
			for k := range items {
				prec.SetSym(k, k, prec.At(k, k)+own)
			}
			chol, err := num.NewExact(prec)
			if bad[c] = err != nil; bad[c] {
				continue
			}
			logDets[c] = chol.LogDet()
			inv := chol.Inverse()
			a.inner[c] = inv
			local, out, pull := mat.NewDense(len(items), d, nil), mat.NewDense(len(items), d, nil), mat.NewDense(len(items), d, nil)
			for k, i := range items {
				local.SetRow(k, phi.RawRowView(i))
			}
			simd.Symm(blas.Left, own, inv.RawSymmetric(), local.RawMatrix(), 0, out.RawMatrix())
			simd.Symm(blas.Left, 1, laplacian.RawSymmetric(), out.RawMatrix(), 0, pull.RawMatrix())
			for k, i := range items {
				a.psi.SetRow(i, out.RawRowView(k))
				pulled.SetRow(i, pull.RawRowView(k))
			}
		}
	})
	for c, b := range bad {
		if b {
			return nil, fmt.Errorf("crowd: precision of %d items of their own at %g is not positive definite", len(g.parts[c]), own)
		}
	}
	full := mat.NewDense(d, d, nil)
	simd.Gemm(blas.Trans, blas.NoTrans, 1, phi.RawMatrix(), pulled.RawMatrix(), 0, full.RawMatrix())
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := i; j < d; j++ {
			s.SetSym(i, j, 0.5*(full.At(i, j)+full.At(j, i)))
		}
		s.SetSym(i, i, s.At(i, i)+base[i])
	}
	chol, err := num.NewExact(s)
	if err != nil {
		return nil, fmt.Errorf("crowd: precision of %d weights: %w", d, err)
	}
	a.logDet = total(logDets)
	a.finish(chol)
	return a, nil
}

// newWideArrow takes the n to be apart.
func newWideArrow(g *graph, phi *mat.Dense, base, tau []float64, near *arrow) (*arrow, error) {
	n, d := phi.Dims()
	a := &arrow{graph: g, phi: phi, base: base, tau: tau, trace: make([]float64, d+1)}
	sites := make([]gp.Site, len(tau))
	for r, t := range tau {
		sites[r].Tau = t
	}
	a.apart = g.wide.Laplacian(slices.Repeat([]float64{base[d]}, n), sites, nil)
	var start *mat.Dense
	if near != nil {
		start = near.psi
	}
	a.psi = a.apart.Smooth(phi, start, wideTolerance)
	s := a.apart.Heard(phi, a.psi)
	for i := range d {
		s.SetSym(i, i, s.At(i, i)+base[i])
	}
	chol, err := num.NewExact(s)
	if err != nil {
		return nil, fmt.Errorf("crowd: precision of %d weights: %w", d, err)
	}
	for _, x := range a.apart.Diag() {
		a.logDet += math.Log(x)
	}
	a.finish(chol)
	return a, nil
}

// wideTolerance is that of solves, relative to the right-hand side. Bounds do not
// depend on it.
const wideTolerance = 1e-6

// finish derives what follows from the weights' precision.
func (a *arrow) finish(chol *num.Exact) {
	a.logDet += chol.LogDet()
	a.upper = chol.Upper()
	a.root = mat.DenseCopyOf(a.psi)
	simd.Trsm(blas.Right, blas.NoTrans, 1, a.upper.RawTriangular(), a.root.RawMatrix())
	a.traces()
}

// within returns the covariance of the n of two items given the weights.
func (a *arrow) within(i, j int) float64 {
	switch {
	case a.apart != nil && i == j:
		return 1 / a.apart.Diag()[i]
	case a.apart != nil || a.part[i] != a.part[j]:
		return 0
	}
	return a.inner[a.part[i]].At(int(a.place[i]), int(a.place[j]))
}

// traces finds the variances: of the weights those of S⁻¹, of the n those of
// A⁻¹ + (Φ−Ψ)S⁻¹(Φ−Ψ)ᵀ.
func (a *arrow) traces() {
	n, d := a.phi.Dims()
	inv := mat.NewDense(d, d, nil)
	for i := range d {
		inv.Set(i, i, 1)
	}
	simd.Trsm(blas.Right, blas.NoTrans, 1, a.upper.RawTriangular(), inv.RawMatrix())
	for i := range d {
		a.trace[i] = num.Dot(inv.RawRowView(i), inv.RawRowView(i))
	}
	var rest mat.Dense
	rest.Sub(a.phi, a.psi)
	simd.Trsm(blas.Right, blas.NoTrans, 1, a.upper.RawTriangular(), rest.RawMatrix())
	for i := range n {
		a.trace[d] += a.within(i, i) + num.Dot(rest.RawRowView(i), rest.RawRowView(i))
	}
}

// solve returns the covariance times a gradient, in the weights and in the n.
func (a *arrow) solve(weights, own []float64) (e, n []float64) {
	items, d := a.phi.Dims()
	s := a.base[d]
	h := make([]float64, items) // A⁻¹ own
	if a.apart != nil {
		a.apart.Solve(h, own, 1, wideTolerance)
	}
	for c, part := range a.parts {
		if a.apart != nil {
			break
		}
		x, y := make([]float64, len(part)), make([]float64, len(part))
		for k, i := range part {
			x[k] = own[i]
		}
		simd.Symv(1, a.inner[c].RawSymmetric(), simd.Vec(x), 0, simd.Vec(y))
		for k, i := range part {
			h[i] = y[k]
		}
	}
	left := make([]float64, items) // ΛA⁻¹ own
	for i := range left {
		left[i] = own[i] - s*h[i]
	}
	e = append([]float64(nil), weights...)
	simd.Gemv(blas.Trans, -1, a.phi.RawMatrix(), simd.Vec(left), 1, simd.Vec(e))
	simd.Trsv(blas.Trans, a.upper.RawTriangular(), simd.Vec(e))
	simd.Trsv(blas.NoTrans, a.upper.RawTriangular(), simd.Vec(e))
	n = h
	simd.Gemv(blas.NoTrans, -1, a.phi.RawMatrix(), simd.Vec(e), 1, simd.Vec(n))
	simd.Gemv(blas.NoTrans, 1, a.psi.RawMatrix(), simd.Vec(e), 1, simd.Vec(n))
	return e, n
}

// variances returns those of forms of the utilities.
func (a *arrow) variances(rows *gp.Rows) []float64 {
	_, d := a.phi.Dims()
	out := make([]float64, rows.Len())
	num.Parallel(len(out), rowGrain, func(lo, hi int) {
		v := make([]float64, d)
		for r := lo; r < hi; r++ {
			index, coef := rows.Row(r)
			clear(v)
			for s, i := range index {
				simd.Axpy(coef[s], simd.Vec(a.root.RawRowView(i)), simd.Vec(v))
				for t, j := range index {
					out[r] += coef[s] * coef[t] * a.within(i, j)
				}
			}
			out[r] += num.Dot(v, v)
		}
	})
	return out
}

// draws returns joint draws of the utilities about zero, a row each.
func (a *arrow) draws(ctx context.Context, n int, rng *rand.Rand) (*mat.Dense, error) {
	items, d := a.phi.Dims()
	out := mat.NewDense(n, items, nil)
	simd.Mul(out, num.Normals(n, d, rng), a.root.T())
	if a.apart != nil {
		return out, a.apart.AddNoise(ctx, out, rng)
	}
	for c, part := range a.parts {
		chol, err := num.NewExact(a.inner[c])
		if err != nil {
			panic(fmt.Errorf("crowd: an inverse: %w", err))
		}
		lower := chol.Lower()
		x := make([]float64, len(part))
		for r := range n {
			for k := range x {
				x[k] = rng.NormFloat64()
			}
			simd.Trmv(blas.NoTrans, lower.RawTriangular(), simd.Vec(x))
			for k, i := range part {
				out.Set(r, i, out.At(r, i)+x[k])
			}
		}
	}
	return out, ctx.Err()
}

// divergence from independent Gaussians whose precisions have expectations s and
// expected logarithms logS, given the squares of the means.
func (a *arrow) divergence(square, s, logS []float64) float64 {
	items, d := a.phi.Dims()
	sum := a.logDet - float64(d+items)
	for i := range d {
		sum += s[i]*(square[i]+a.trace[i]) - logS[i]
	}
	return 0.5 * (sum + s[d]*(square[d]+a.trace[d]) - float64(items)*logS[d])
}
