package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Table is a kernel over identities whose covariances are given. An identity
// that is not in the table is independent of all others, with the mean of the
// table's variances. It has no parameters.
type Table struct {
	parameterless
	cov  *mat.SymDense
	lone float64
}

// NewTable returns the kernel of a covariance, which it keeps.
func NewTable(cov *mat.SymDense) *Table {
	n := cov.SymmetricDim()
	return &Table{cov: cov, lone: mat.Trace(cov) / float64(n)}
}

func (k *Table) With(params []float64) Kernel {
	checkParams(params, 0)
	return k
}

// at returns the covariance of two identities.
func (k *Table) at(a, b int) float64 {
	n := k.cov.SymmetricDim()
	switch {
	case a >= 0 && b >= 0 && a < n && b < n:
		return k.cov.At(a, b)
	case a == b:
		return k.lone
	}
	return 0
}

func (k *Table) MatrixTo(dst *mat.Dense, x, y Points) {
	matrixOfIDs(dst, x, y, k.at)
}

func (k *Table) PairsTo(dst []float64, x Points, i, j []int) {
	pairsOfIDs(dst, x, i, j, k.at)
}

// triangle returns the upper triangle, row by row.
func (k *Table) triangle() []float64 {
	n := k.cov.SymmetricDim()
	t := make([]float64, 0, n*(n+1)/2)
	for i := range n {
		for j := i; j < n; j++ {
			t = append(t, k.cov.At(i, j))
		}
	}
	return t
}

// tableFrom is the kernel of a specification.
func tableFrom(s Spec, _ []Kernel) (Kernel, error) {
	if err := s.shape(0, 0); err != nil {
		return nil, err
	}
	n := int(math.Sqrt(2 * float64(len(s.Table))))
	if n == 0 || n*(n+1)/2 != len(s.Table) {
		return nil, fmt.Errorf("kernel: table: %d numbers are no triangle", len(s.Table))
	}
	cov := mat.NewSymDense(n, nil)
	at := 0
	for i := range n {
		for j := i; j < n; j++ {
			if v := s.Table[at]; math.IsNaN(v) || math.IsInf(v, 0) || i == j && v < 0 {
				return nil, fmt.Errorf("kernel: table: covariance of %d and %d is %v", i, j, v)
			}
			cov.SetSym(i, j, s.Table[at])
			at++
		}
	}
	return NewTable(cov), nil
}
