package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// TestAgainst: values of a point are those of the matrix, and derivatives its slopes, for every shape.
func TestAgainst(t *testing.T) {
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
		a, values, slopes := k.Against(Dense(y)), make([]float64, n), make([]float64, n)
		a.Values(values, slopes, x)
		if got := simd.Dot(simd.Vector{N: n, Inc: 1, Data: values}, simd.Vector{N: n, Inc: 1, Data: w}); math.Abs(got-value()) > 1e-14 {
			t.Errorf("%v: %g, the matrix has %g", Shape(s), got, value())
		}
		a.Grad(grad, w, slopes, x)
		pair, back := make([]float64, testDim), make([]float64, testDim)
		for j := range n { // pairs have the same
			v, slope := a.Pair(x, y.RawRowView(j))
			if math.Abs(v-values[j]) > 1e-15 {
				t.Errorf("%v: %g of a pair, %g of many", Shape(s), v, values[j])
			}
			a.PairGrad(pair, back, w[j], slope, x, y.RawRowView(j))
		}
		for d := range x {
			if math.Abs(pair[d]-grad[d]) > 1e-13 || pair[d] != -back[d] {
				t.Errorf("%v, feature %d: %g of pairs, back %g, %g of many", Shape(s), d, pair[d], back[d], grad[d])
			}

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

// TestAgainstItself: where the points are one the derivative is zero.
func TestAgainstItself(t *testing.T) {
	x := make([]float64, testDim)
	for s := range shapes {
		grad := make([]float64, testDim)
		a, values, slopes := NewStationary(Shape(s), Euclidean, testLengths).Against(Dense(mat.NewDense(1, testDim, nil))), []float64{0}, []float64{0}
		a.Values(values, slopes, x)
		a.Grad(grad, []float64{1}, slopes, x)
		for d, g := range grad {
			if g != 0 {
				t.Errorf("%v, feature %d: %g", Shape(s), d, g)
			}
		}
	}
}
