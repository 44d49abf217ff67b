package num

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Normals returns a matrix of draws of a standard normal.
func Normals(rows, cols int, rng *rand.Rand) *mat.Dense {
	m := mat.NewDense(rows, cols, nil)
	for i := range m.RawMatrix().Data {
		m.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return m
}
