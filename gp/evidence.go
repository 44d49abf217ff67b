package gp

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Evidence is what sites say of the weights, in natural parameters: the
// density exp(Linᵀe − eᵀQuad e/2). Evidence of separate sets of votes adds.
type Evidence struct {
	Lin  []float64
	Quad *mat.SymDense
}

// NewEvidence returns no evidence on d weights.
func NewEvidence(d int) Evidence {
	return Evidence{Lin: make([]float64, d), Quad: mat.NewSymDense(d, nil)}
}

// Mix sets e to (1−rho)·e + rho·weight·o, the step of CROWD (17)–(18).
func (e Evidence) Mix(rho, weight float64, o Evidence) {
	for i := range e.Lin {
		e.Lin[i] = (1-rho)*e.Lin[i] + rho*weight*o.Lin[i]
	}
	d := len(e.Lin)
	a, b := e.Quad.RawSymmetric(), o.Quad.RawSymmetric()
	for i := range d {
		x, y := a.Data[i*a.Stride+i:i*a.Stride+d], b.Data[i*b.Stride+i:i*b.Stride+d]
		for j := range x {
			x[j] = (1-rho)*x[j] + rho*weight*y[j]
		}
	}
}

// Mixed is Mix into a copy of e, with the evidence of sites on forms whose features are psi, site p counted count[p]
// times.
func (e Evidence) Mixed(rho, weight float64, psi *mat.Dense, sites []Site, count []float64) Evidence {
	out := e.Clone()
	scaled := mat.DenseCopyOf(psi)
	pull := make([]float64, len(sites))
	for r, s := range sites {
		w := rho * weight * count[r]
		pull[r] = w * s.Nu
		simd.Scal(math.Sqrt(w*s.Tau), simd.Vec(scaled.RawRowView(r)))
	}
	simd.Gemv(blas.Trans, 1, psi.RawMatrix(), simd.Vec(pull), 1-rho, simd.Vec(out.Lin))
	simd.Syrk(blas.Trans, 1, scaled.RawMatrix(), 1-rho, out.Quad.RawSymmetric())
	return out
}

// Evidence sums the sites of the rows, site p counted count[p] times (nil:
// once each).
func (p *Prior) Evidence(rows *Rows, sites []Site, count []float64) Evidence {
	times := func(r int) float64 {
		if count == nil {
			return 1
		}
		return count[r]
	}
	// Over the items: lin = Bᵀν.
	lin := make([]float64, p.n)
	for r, s := range sites {
		rows.Scatter(r, times(r)*s.Nu, lin)
	}
	if p.white() {
		e := Evidence{Lin: lin, Quad: mat.NewSymDense(p.n, nil)}
		raw := e.Quad.RawSymmetric()
		for r, s := range sites {
			scatterSquare(raw, rows, r, times(r)*s.Tau)
		}
		return e
	}
	e := NewEvidence(p.d)
	phi := p.Features().RawMatrix()
	simd.Gemv(blas.Trans, 1, phi, simd.Vec(lin), 0, simd.Vec(e.Lin))
	if rows.Len() == 0 {
		return e
	}
	if rows.Len() <= 2*p.n {
		// Few rows: H = Σ τ_p φ_pφ_pᵀ, as ΨᵀΨ with rows √τ_p φ_p.
		psi := formMatrix(p.Features(), rows)
		for r, s := range sites {
			simd.Scal(math.Sqrt(times(r)*s.Tau), simd.Vec(psi.RawRowView(r)))
		}
		simd.Syrk(blas.Trans, 1, psi.RawMatrix(), 0, e.Quad.RawSymmetric())
		return e
	}
	// Many rows on few items: H = Φᵀ(ΛΦ), Λ = Σ τ_p b_pb_pᵀ over the items.
	half := mat.NewDense(p.n, p.d, nil)
	v := make([]float64, p.d)
	for r, s := range sites {
		form(v, p.Features(), rows, r)
		index, coef := rows.Row(r)
		for k, i := range index {
			simd.Axpy(times(r)*s.Tau*coef[k], simd.Vec(v), simd.Vec(half.RawRowView(i)))
		}
	}
	full := mat.NewDense(p.d, p.d, nil)
	simd.Gemm(blas.Trans, blas.NoTrans, 1, phi, half.RawMatrix(), 0, full.RawMatrix())
	for i := range p.d {
		copy(e.Quad.RawSymmetric().Data[i*p.d+i:(i+1)*p.d], full.RawRowView(i)[i:])
	}
	return e
}

// OfItems turns evidence over the items of a prior with a weight an item, as a pull and
// a precision, into that over the weights.
func (p *Prior) OfItems(lin []float64, quad *mat.SymDense) Evidence {
	if p.white() {
		return Evidence{Lin: lin, Quad: quad}
	}
	e := NewEvidence(p.d)
	phi := p.Features()
	simd.Gemv(blas.Trans, 1, phi.RawMatrix(), simd.Vec(lin), 0, simd.Vec(e.Lin))
	half, full := mat.NewDense(p.n, p.d, nil), mat.NewDense(p.d, p.d, nil)
	simd.Symm(blas.Left, 1, quad.RawSymmetric(), phi.RawMatrix(), 0, half.RawMatrix())
	simd.Gemm(blas.Trans, blas.NoTrans, 1, phi.RawMatrix(), half.RawMatrix(), 0, full.RawMatrix())
	for i := range p.d {
		for j := i; j < p.d; j++ {
			e.Quad.SetSym(i, j, 0.5*(full.At(i, j)+full.At(j, i)))
		}
	}
	return e
}

// scatterSquare adds w·b_pb_pᵀ to the upper triangle of a.
func scatterSquare(a simd.Symmetric, rows *Rows, p int, w float64) {
	index, coef := rows.Row(p)
	for k, i := range index {
		for l, j := range index {
			if i <= j {
				a.Data[i*a.Stride+j] += w * coef[k] * coef[l]
			}
		}
	}
}

// Clone returns a copy.
func (e Evidence) Clone() Evidence {
	c := NewEvidence(len(e.Lin))
	copy(c.Lin, e.Lin)
	c.Quad.CopySym(e.Quad)
	return c
}
