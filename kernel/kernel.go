package kernel

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// Kernel is a covariance function with log-parameters. Implementations are
// immutable and safe for concurrent use.
type Kernel interface {
	// ParamNames names the parameters, in the order of Params.
	ParamNames() []string
	// Params returns a copy of the log-parameters.
	Params() []float64
	// With returns the same kernel at other log-parameters.
	With(params []float64) Kernel
	// MatrixTo sets dst_ij = k(x_i, y_j). An empty dst is sized.
	MatrixTo(dst *mat.Dense, x, y Points)
	// MatrixGrad adds Σ_ij w_ij ∂k(x_i, y_j)/∂θ_k to grad_k.
	MatrixGrad(grad []float64, w mat.Matrix, x, y Points)
	// PairsTo sets dst_p = k(x_{i_p}, x_{j_p}).
	PairsTo(dst []float64, x Points, i, j []int)
	// PairsGrad adds Σ_p w_p ∂k(x_{i_p}, x_{j_p})/∂θ_k to grad_k.
	PairsGrad(grad []float64, w []float64, x Points, i, j []int)
}

// Gram returns the symmetric matrix k(x_i, x_j).
func Gram(k Kernel, x Points) *mat.SymDense {
	n := x.Len()
	var d mat.Dense
	k.MatrixTo(&d, x, x)
	return mat.NewSymDense(n, d.RawMatrix().Data)
}

// Diag returns k(x_i, x_i).
func Diag(k Kernel, x Points) []float64 {
	idx := num.Indices(x.Len())
	dst := make([]float64, len(idx))
	k.PairsTo(dst, x, idx, idx)
	return dst
}

// size gives an empty dst the shape of a matrix between x and y, and panics when a
// full one has another.
func size(dst *mat.Dense, x, y Points) {
	if dst.IsEmpty() {
		dst.ReuseAs(x.n, y.n)
	}
	if r, c := dst.Dims(); r != x.n || c != y.n {
		panic(fmt.Sprintf("kernel: matrix is %d×%d, want %d×%d", r, c, x.n, y.n))
	}
}

func checkGrad(grad []float64, params int, w mat.Matrix, x, y Points) {
	checkParams(grad, params)
	if r, c := w.Dims(); r != x.n || c != y.n {
		panic(fmt.Sprintf("kernel: weights are %d×%d, want %d×%d", r, c, x.n, y.n))
	}
}

func checkParams(p []float64, params int) {
	if len(p) != params {
		panic(fmt.Sprintf("kernel: %d parameters, want %d", len(p), params))
	}
}

func checkPairs(v []float64, i, j []int) {
	if len(v) != len(i) || len(i) != len(j) {
		panic(fmt.Sprintf("kernel: %d values for pairs of %d and %d indices", len(v), len(i), len(j)))
	}
}

// weights returns w as stored rows, copying when it is not stored that way.
func weights(w mat.Matrix) simd.General {
	if raw, ok := w.(mat.RawMatrixer); ok {
		return raw.RawMatrix()
	}
	return mat.DenseCopyOf(w).RawMatrix()
}

// mirror copies the upper triangle of a square matrix to the lower one.
func mirror(m simd.General) {
	const tile = 32 // keeps the strided side in cache
	for i0 := 0; i0 < m.Rows; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, m.Rows); i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					m.Data[i*m.Stride+j] = m.Data[j*m.Stride+i]
				}
			}
		}
	}
}
