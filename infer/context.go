package infer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// Context is what is known of the effects of the context that are there, given the
// utilities f: c ~ N(base − gain·f, cov).
type Context struct {
	There  []int     // numbers of these effects among Effects.Spread
	Spread []float64 // prior variances of these effects

	base   []float64
	gain   *mat.Dense    // effects × items
	cov    *mat.SymDense // given the utilities
	root   *mat.TriDense // L with LLᵀ = cov
	logDet float64       // of the effects' precision after the sites over that before
	pull   float64       // baseᵀ(Spread⁻¹ + H)base
}

// without takes the effects of the context out of evidence over all coordinates: it
// returns what is known of them given the utilities, and the evidence over the items,
// H − H_fc(Spread⁻¹ + H_cc)⁻¹H_cf.
func (e *effects) without(lin []float64, quad *mat.SymDense) (*Context, []float64, *mat.SymDense) {
	n, k := e.items, len(e.there)
	c := &Context{There: e.there}
	if k == 0 {
		return c, lin, quad
	}
	precision, cov := make([]float64, k*k), make([]float64, k*k)
	for i, at := range e.there {
		c.Spread = append(c.Spread, e.Spread[at])
		for j := range i + 1 {
			precision[i*k+j] = quad.At(n+i, n+j)
		}
		precision[i*k+i] += 1 / e.Spread[at]
		c.logDet += math.Log(e.Spread[at])
	}
	logDet, ok := num.Invert(cov, precision, k)
	if !ok {
		panic("infer: a positive diagonal and more is not positive definite")
	}
	c.logDet += logDet
	num.Mirror(cov, k)
	c.cov, c.root = mat.NewSymDense(k, cov), mat.NewTriDense(k, mat.Lower, slices.Clone(cov))
	if _, ok := num.Factor(c.root.RawTriangular().Data, k); !ok {
		panic("infer: the covariance of effects of the context has no factor")
	}
	cross := mat.DenseCopyOf(quad).Slice(n, n+k, 0, n).(*mat.Dense)
	c.gain, c.base = mat.NewDense(k, n, nil), make([]float64, k)
	simd.Symm(blas.Left, 1, c.cov.RawSymmetric(), cross.RawMatrix(), 0, c.gain.RawMatrix())
	num.SymVec(c.base, cov, lin[n:], k)
	for i, x := range c.base {
		c.pull += x * lin[n+i]
	}
	out := mat.NewSymDense(n, nil)
	out.CopySym(quad.SliceSym(0, n))
	for i := range n {
		row := out.RawSymmetric().Data[i*n : (i+1)*n]
		for a := range k {
			lin[i] -= c.gain.At(a, i) * lin[n+a]
			simd.Axpy(-c.gain.At(a, i), simd.Vector{N: n - i, Data: cross.RawRowView(a)[i:], Inc: 1}, simd.Vector{N: n - i, Data: row[i:], Inc: 1})
		}
	}
	return c, lin[:n], out
}

// joint returns mean and covariance of the utilities with the effects after them.
func (c *Context) joint(q *gp.Posterior) ([]float64, simd.Symmetric) {
	f, cov := q.Utilities(), q.Covariance()
	n, k := len(f), len(c.There)
	if k == 0 {
		return f, cov.RawSymmetric()
	}
	all := mat.NewSymDense(n+k, nil)
	raw := all.RawSymmetric()
	for i := range n {
		copy(raw.Data[i*raw.Stride+i:i*raw.Stride+n], cov.RawSymmetric().Data[i*n+i:(i+1)*n])
	}
	mean := append(append(make([]float64, 0, n+k), f...), c.base...)
	reach := mat.NewDense(k, n, nil) // −gain·cov
	simd.Symm(blas.Right, -1, cov.RawSymmetric(), c.gain.RawMatrix(), 0, reach.RawMatrix())
	for a := range k {
		for i, x := range f {
			mean[n+a] -= c.gain.At(a, i) * x
			all.SetSym(i, n+a, reach.At(a, i))
		}
		for b := a; b < k; b++ {
			v := c.cov.At(a, b)
			for i := range n {
				v -= reach.At(a, i) * c.gain.At(b, i)
			}
			all.SetSym(n+a, n+b, v)
		}
	}
	return mean, raw
}

// Effects returns mean and deviation of every effect that is there under the posterior of
// the utilities.
func (c *Context) Effects(q *gp.Posterior) (mean, sd []float64) {
	f, cov := c.joint(q)
	n := cov.N - len(c.There)
	for a := n; a < cov.N; a++ {
		mean, sd = append(mean, f[a]), append(sd, math.Sqrt(cov.Data[a*cov.Stride+a]))
	}
	return mean, sd
}

// Draw turns utilities and standard normals, one an effect, into effects by their numbers.
func (c *Context) Draw(dst, utilities, white []float64) {
	for a, at := range c.There {
		dst[at] = c.base[a]
		for i, x := range utilities {
			dst[at] -= c.gain.At(a, i) * x
		}
		for b := range a + 1 {
			dst[at] += c.root.At(a, b) * white[b]
		}
	}
}

// LogDet returns the log determinant of the effects' precision given the utilities, over
// that before the votes; Pull is hᵀ(Spread⁻¹ + H)⁻¹h, with h and H what the sites say of
// the effects.
func (c *Context) LogDet() float64 { return c.logDet }

// Pull returns what LogDet says.
func (c *Context) Pull() float64 { return c.pull }

// Context returns what is known of the effects of the context; nil without effects.
func (r *Result) Context() *Context {
	if r.effects == nil {
		return nil
	}
	return r.effects.given
}
