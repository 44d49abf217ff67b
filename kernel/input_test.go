package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestInputGrad: derivatives in a point are the slopes of the matrix, for every shape.
func TestInputGrad(t *testing.T) {
	const n, h = 7, 1e-5
	for s := range shapes {
		k := NewStationary(Shape(s), Euclidean, testLengths)
		rng := rand.New(rand.NewPCG(1, 2))
		y := mat.NewDense(n, testDim, nil)
		w, x := make([]float64, n), make([]float64, testDim)
		for j := range n {
			w[j] = rng.NormFloat64()
			for d := range testDim {
				y.Set(j, d, rng.NormFloat64())
			}
		}
		for d := range x {
			x[d] = rng.NormFloat64()
		}
		value := func() (sum float64) {
			var m mat.Dense
			k.MatrixTo(&m, Dense(mat.NewDense(1, testDim, x)), Dense(y))
			for j, v := range w {
				sum += v * m.At(0, j)
			}
			return sum
		}
		grad := make([]float64, testDim)
		k.InputGrad(grad, w, x, Dense(y))
		for d := range x {
			old := x[d]
			x[d] = old + h
			above := value()
			x[d] = old - h
			below := value()
			x[d] = old
			if want := (above - below) / (2 * h); math.Abs(grad[d]-want) > 1e-8 {
				t.Errorf("%v, feature %d: %g, differences have %g", Shape(s), d, grad[d], want)
			}
		}
	}
}

// TestInputGradAtItself: where the points are one the derivative is zero.
func TestInputGradAtItself(t *testing.T) {
	x := make([]float64, testDim)
	for s := range shapes {
		grad := make([]float64, testDim)
		NewStationary(Shape(s), Euclidean, testLengths).InputGrad(grad, []float64{1}, x, Dense(mat.NewDense(1, testDim, nil)))
		for d, g := range grad {
			if g != 0 {
				t.Errorf("%v, feature %d: %g", Shape(s), d, g)
			}
		}
	}
}
