package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// Points are n inputs: dense rows, sparse rows, or no features at all. Each row
// carries an identity, by default its index. Points are values; copies share
// memory.
type Points struct {
	n, d   int
	data   []float64 // dense rows
	stride int
	csr    *CSR // sparse rows
	ids    []int
}

// Dense returns the rows of x as points.
func Dense(x *mat.Dense) Points {
	raw := x.RawMatrix()
	return Points{n: raw.Rows, d: raw.Cols, data: raw.Data, stride: raw.Stride}
}

// Sparse returns the rows of x as points.
func Sparse(x *CSR) Points { return Points{n: x.rows, d: x.cols, csr: x} }

// Indexed returns n points without features.
func Indexed(n int) Points { return Points{n: n} }

// Len returns the number of points.
func (p Points) Len() int { return p.n }

// Dim returns the number of features.
func (p Points) Dim() int { return p.d }

// ID returns the identity of point i.
func (p Points) ID(i int) int {
	if p.ids == nil {
		return i
	}
	return p.ids[i]
}

// WithIDs returns the same points with other identities.
func (p Points) WithIDs(ids []int) Points {
	if len(ids) != p.n {
		panic(fmt.Sprintf("kernel: %d identities for %d points", len(ids), p.n))
	}
	p.ids = ids
	return p
}

// Subset returns the points idx, in that order, with their identities.
func (p Points) Subset(idx []int) Points {
	s := Points{n: len(idx), d: p.d, ids: make([]int, len(idx))}
	for k, i := range idx {
		s.ids[k] = p.ID(i)
	}
	switch {
	case p.csr != nil:
		s.csr = p.csr.subset(idx)
	case p.d > 0:
		s.stride = p.d
		s.data = make([]float64, len(idx)*p.d)
		for k, i := range idx {
			copy(s.data[k*p.d:(k+1)*p.d], p.row(i))
		}
	}
	return s
}

// row returns dense row i.
func (p Points) row(i int) []float64 { return p.data[i*p.stride : i*p.stride+p.d] }

// sameRows reports whether p and q are the same features in the same order.
func (p Points) sameRows(q Points) bool {
	if p.n != q.n || p.d != q.d || p.n == 0 || p.d == 0 {
		return false
	}
	if p.csr != nil || q.csr != nil {
		return p.csr == q.csr
	}
	return &p.data[0] == &q.data[0] && p.stride == q.stride
}

// matrix returns dense points as a matrix that shares their memory.
func (p Points) matrix() *mat.Dense {
	var m mat.Dense
	m.SetRawMatrix(simd.General{Rows: p.n, Cols: p.d, Stride: p.stride, Data: p.data})
	return &m
}

// sparse returns p with sparse rows, converting dense ones.
func (p Points) sparse() Points {
	if p.csr == nil {
		p.csr, p.data = NewCSR(p.matrix()), nil
	}
	return p
}
