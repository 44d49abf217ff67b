package gp

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// State is a Gaussian over coordinates as mean and covariance, which takes a
// change of one site in O(n²): the incremental step of LINK (17)–(24),
// corrected, and the rank-one refresh of EPNOTE.
type State struct {
	Mean []float64
	Cov  *mat.SymDense // upper triangle
	k    []float64
}

// NewState returns the prior state: the items' utilities at inverse scale s
// where there is no residual, else the weights (see StateRows).
func NewState(p *Prior, s float64) *State {
	n := p.n
	if p.sparse {
		n = p.d
	}
	st := &State{Mean: make([]float64, n), Cov: mat.NewSymDense(n, nil), k: make([]float64, n)}
	if p.white() || p.sparse {
		for i := range n {
			st.Cov.SetSym(i, i, 1/s)
		}
		return st
	}
	phi := p.Features().RawMatrix()
	blas64.Syrk(blas.NoTrans, 1/s, phi, 0, st.Cov.RawSymmetric())
	return st
}

// StateRows returns rows as forms of the coordinates of NewState(p, …).
func StateRows(p *Prior, rows *Rows) *Rows {
	if !p.sparse {
		return rows
	}
	phi := p.Features()
	var out Rows
	all := make([]int, p.d)
	for i := range all {
		all[i] = i
	}
	v := make([]float64, p.d)
	for r := range rows.Len() {
		form(v, phi, rows, r)
		out.Append(all, v)
	}
	return &out
}

// Form returns mean and variance of row p.
func (s *State) Form(rows *Rows, p int) (mean, variance float64) {
	s.column(rows, p)
	return rows.Dot(p, s.Mean), rows.Dot(p, s.k)
}

// column leaves Cov·b_p in k.
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
		blas64.Axpy(c, vec(a.Data[j*a.Stride+j:j*a.Stride+a.N]), vec(s.k[j:]))
	}
}

// Move changes the site on row p by d, right after Form of the same row:
//
//	m += k(dν − dτ·mean)/(1+dτ·v),  Cov −= dτ/(1+dτ·v) kkᵀ,  k = Cov·b.
func (s *State) Move(d Site, mean, variance float64) {
	r := 1 + d.Tau*variance
	blas64.Axpy((d.Nu-d.Tau*mean)/r, vec(s.k), vec(s.Mean))
	blas64.Syr(-d.Tau/r, vec(s.k), s.Cov.RawSymmetric())
}
