package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// CSR is a sparse matrix in compressed rows.
type CSR struct {
	rows, cols int
	ptr        []int // row i is index[ptr[i]:ptr[i+1]]
	index      []int
	data       []float64
}

// MakeCSR builds a sparse matrix from its parts: row i holds data[ptr[i]:ptr[i+1]]
// in the columns index[ptr[i]:ptr[i+1]], which must ascend. The slices are kept.
func MakeCSR(rows, cols int, ptr, index []int, data []float64) (*CSR, error) {
	if rows < 0 || cols < 0 || len(ptr) != rows+1 || ptr[0] != 0 || ptr[rows] != len(index) || len(index) != len(data) {
		return nil, fmt.Errorf("kernel: sparse matrix: %d row starts, %d columns and %d values do not make %d×%d", len(ptr), len(index), len(data), rows, cols)
	}
	for i := range rows {
		if ptr[i+1] < ptr[i] || ptr[i+1] > len(index) {
			return nil, fmt.Errorf("kernel: sparse matrix: row %d ends at %d before it starts at %d", i, ptr[i+1], ptr[i])
		}
		last := -1
		for p := ptr[i]; p < ptr[i+1]; p++ {
			if index[p] <= last || index[p] >= cols {
				return nil, fmt.Errorf("kernel: sparse matrix: row %d: column %d after %d, of %d", i, index[p], last, cols)
			}
			if math.IsNaN(data[p]) || math.IsInf(data[p], 0) {
				return nil, fmt.Errorf("kernel: sparse matrix: row %d, column %d is %v", i, index[p], data[p])
			}
			last = index[p]
		}
	}
	return &CSR{rows: rows, cols: cols, ptr: ptr, index: index, data: data}, nil
}

// NewCSR returns the non-zero entries of m.
func NewCSR(m mat.Matrix) *CSR {
	c := &CSR{ptr: []int{0}}
	c.rows, c.cols = m.Dims()
	for i := range c.rows {
		for j := range c.cols {
			if v := m.At(i, j); v != 0 {
				c.index = append(c.index, j)
				c.data = append(c.data, v)
			}
		}
		c.ptr = append(c.ptr, len(c.index))
	}
	return c
}

// Dense returns the matrix with its zeros.
func (c *CSR) Dense() *mat.Dense {
	m := mat.NewDense(c.rows, c.cols, nil)
	for i := range c.rows {
		index, data := c.row(i)
		for k, j := range index {
			m.Set(i, j, data[k])
		}
	}
	return m
}

// Dims returns the number of rows and columns.
func (c *CSR) Dims() (rows, cols int) { return c.rows, c.cols }

// row returns the columns and values of row i.
func (c *CSR) row(i int) (index []int, data []float64) {
	return c.index[c.ptr[i]:c.ptr[i+1]], c.data[c.ptr[i]:c.ptr[i+1]]
}

func (c *CSR) subset(idx []int) *CSR {
	s := &CSR{rows: len(idx), cols: c.cols, ptr: make([]int, 1, len(idx)+1)}
	for _, i := range idx {
		index, data := c.row(i)
		s.index = append(s.index, index...)
		s.data = append(s.data, data...)
		s.ptr = append(s.ptr, len(s.index))
	}
	return s
}
