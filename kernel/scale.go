package kernel

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// scaledKernel is variance·k. Its first parameter is the log variance.
type scaledKernel struct {
	logVariance float64
	kernel      Kernel
}

// Scale returns variance·k.
func Scale(variance float64, k Kernel) Kernel {
	if !(variance > 0) || math.IsInf(variance, 1) {
		panic(fmt.Sprintf("kernel: variance is %v, want a positive number", variance))
	}
	return &scaledKernel{math.Log(variance), k}
}

func (k *scaledKernel) ParamNames() []string {
	return append([]string{"variance"}, k.kernel.ParamNames()...)
}

func (k *scaledKernel) Params() []float64 {
	return append([]float64{k.logVariance}, k.kernel.Params()...)
}

func (k *scaledKernel) With(params []float64) Kernel {
	if len(params) == 0 {
		panic("kernel: 0 parameters, want at least the log variance")
	}
	return &scaledKernel{params[0], k.kernel.With(params[1:])}
}

func (k *scaledKernel) MatrixTo(dst *mat.Dense, x, y Points) {
	k.kernel.MatrixTo(dst, x, y)
	scaleMatrix(dst, math.Exp(k.logVariance))
}

func (k *scaledKernel) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	inner := make([]float64, len(grad)-1)
	k.kernel.MatrixGrad(inner, w, x, y)
	var m mat.Dense
	k.kernel.MatrixTo(&m, x, y)
	k.add(grad, inner, dotMatrix(w, &m))
}

func (k *scaledKernel) PairsTo(dst []float64, x Points, i, j []int) {
	k.kernel.PairsTo(dst, x, i, j)
	variance := math.Exp(k.logVariance)
	for p := range dst {
		dst[p] *= variance
	}
}

func (k *scaledKernel) PairsGrad(grad, w []float64, x Points, i, j []int) {
	inner := make([]float64, len(grad)-1)
	k.kernel.PairsGrad(inner, w, x, i, j)
	values := make([]float64, len(w))
	k.kernel.PairsTo(values, x, i, j)
	var s float64
	for p, v := range values {
		s += w[p] * v
	}
	k.add(grad, inner, s)
}

// add adds the gradient of variance·k, given that of k and Σ w k.
func (k *scaledKernel) add(grad, inner []float64, sum float64) {
	variance := math.Exp(k.logVariance)
	grad[0] += variance * sum
	for p, g := range inner {
		grad[p+1] += variance * g
	}
}

func scaleMatrix(m *mat.Dense, c float64) {
	raw := m.RawMatrix()
	for i := range raw.Rows {
		row := raw.Data[i*raw.Stride : i*raw.Stride+raw.Cols]
		for j := range row {
			row[j] *= c
		}
	}
}

// dotMatrix returns Σ_ij a_ij b_ij.
func dotMatrix(a mat.Matrix, b *mat.Dense) (s float64) {
	w, m := weights(a), b.RawMatrix()
	for i := range m.Rows {
		x, y := w.Data[i*w.Stride:i*w.Stride+w.Cols], m.Data[i*m.Stride:i*m.Stride+m.Cols]
		for j, v := range x {
			s += v * y[j]
		}
	}
	return s
}
