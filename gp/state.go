package gp

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// State is a Gaussian over coordinates as mean and covariance, which takes a
// change of one site in O(n²): the incremental step of LINK (17)–(24),
// corrected, and the rank-one refresh of EPNOTE.
//
// Changes of the covariance are held back and applied some at a time, which
// turns rank-one steps, bound by memory, into a matrix product. Form and Move
// take them into account; Settle applies them.
type State struct {
	Mean []float64
	Cov  *mat.SymDense // upper triangle, as of the last Settle
	k    []float64

	held   *mat.Dense // columns k, a row each, that Cov lacks: Cov − Σ w kkᵀ
	weight []float64
	scaled []float64 // room for Settle
}

// maxHeld is how many changes are held back.
const maxHeld = 48

// NewState returns the prior state: the items' utilities at inverse scale s
// where there is no residual, else the weights (see StateRows).
func NewState(p *Prior, s float64) *State {
	n := p.n
	if p.sparse {
		n = p.d
	}
	st := &State{Mean: make([]float64, n), Cov: mat.NewSymDense(n, nil), k: make([]float64, n), held: mat.NewDense(maxHeld, n, nil), scaled: make([]float64, 0, maxHeld*n)}
	if p.white() || p.sparse {
		for i := range n {
			st.Cov.SetSym(i, i, 1/s)
		}
		return st
	}
	phi := p.Features().RawMatrix()
	simd.Syrk(blas.NoTrans, 1/s, phi, 0, st.Cov.RawSymmetric())
	for i, v := range p.OwnVariances() {
		st.Cov.SetSym(i, i, st.Cov.At(i, i)+v/s)
	}
	return st
}

// StateRows returns rows as forms of the coordinates of NewState(p, …).
func StateRows(p *Prior, rows *Rows) *Rows {
	if !p.sparse {
		return rows
	}
	phi := p.Features()
	var out Rows
	all := num.Indices(p.d)
	v := make([]float64, p.d)
	for r := range rows.Len() {
		form(v, phi, rows, r)
		out.Append(all, v)
	}
	return &out
}

// Clone returns mean and covariance as of the last Settle.
func (s *State) Clone() *State {
	c := &State{Mean: slices.Clone(s.Mean), Cov: mat.NewSymDense(len(s.Mean), nil)}
	c.Cov.CopySym(s.Cov)
	return c
}

// Form returns mean and variance of row p.
func (s *State) Form(rows *Rows, p int) (mean, variance float64) {
	s.column(rows, p)
	return rows.Dot(p, s.Mean), rows.Dot(p, s.k)
}

// column leaves the covariance of all coordinates with row p in k.
func (s *State) column(rows *Rows, p int) {
	index, coef := rows.Row(p)
	a := s.Cov.RawSymmetric()
	clear(s.k)
	for t, j := range index {
		c := coef[t]
		// Column j above the diagonal, then row j from the diagonal on.
		for i, at := 0, j; i < j; i, at = i+1, at+a.Stride {
			s.k[i] += c * a.Data[at]
		}
		simd.Axpy(c, simd.Vec(a.Data[j*a.Stride+j:j*a.Stride+a.N]), simd.Vec(s.k[j:]))
	}
	for t, w := range s.weight {
		h := s.held.RawRowView(t)
		simd.Axpy(-w*rows.Dot(p, h), simd.Vec(h), simd.Vec(s.k))
	}
}

// Move changes the site on row p by d, right after Form of the same row:
//
//	m += k(dν − dτ·mean)/(1+dτ·v),  Cov −= dτ/(1+dτ·v) kkᵀ,  k = Cov·b.
func (s *State) Move(d Site, mean, variance float64) {
	r := 1 + d.Tau*variance
	simd.Axpy((d.Nu-d.Tau*mean)/r, simd.Vec(s.k), simd.Vec(s.Mean))
	copy(s.held.RawRowView(len(s.weight)), s.k)
	if s.weight = append(s.weight, d.Tau/r); len(s.weight) == maxHeld {
		s.Settle()
	}
}

// Settle applies what is held back, so that Cov is the covariance:
// Cov −= Σ w kkᵀ, some rows at a time, so that it passes through memory once.
func (s *State) Settle() {
	rows := len(s.weight)
	switch rows {
	case 0:
		return
	case 1:
		simd.Syr(-s.weight[0], simd.Vec(s.held.RawRowView(0)), s.Cov.RawSymmetric())
		s.weight = s.weight[:0]
		return
	}
	n := len(s.Mean)
	x := s.scaled[:0]
	for t, w := range s.weight {
		x = append(x, s.held.RawRowView(t)...)
		simd.Scal(w, simd.Vec(x[len(x)-n:]))
	}
	const block = 64
	cov, held := s.Cov.RawSymmetric(), s.held.RawMatrix()
	for lo := 0; lo < n; lo += block {
		hi := min(lo+block, n)
		// The rows' part left of the diagonal, inside the block, is nobody's.
		simd.Gemm(blas.Trans, blas.NoTrans, -1,
			simd.General{Rows: rows, Cols: hi - lo, Stride: n, Data: x[lo:]},
			simd.General{Rows: rows, Cols: n - lo, Stride: held.Stride, Data: held.Data[lo:]}, 1,
			simd.General{Rows: hi - lo, Cols: n - lo, Stride: cov.Stride, Data: cov.Data[lo*cov.Stride+lo:]})
	}
	s.weight = s.weight[:0]
}

// State returns the posterior as mean and covariance of the items. It panics on
// inducing points, where items have a residual that no site can change.
func (q *Posterior) State() *State {
	if q.Prior.sparse {
		panic("gp: the state of items seen through inducing points")
	}
	n := q.Prior.n
	return &State{Mean: slices.Clone(q.Utilities()), Cov: q.Covariance(), k: make([]float64, n), held: mat.NewDense(maxHeld, n, nil), scaled: make([]float64, 0, maxHeld*n)}
}
