package kernel

import (
	"fmt"

	"palate/internal/simd"
)

// Against is a stationary kernel between a point that moves and points that stay, with its
// derivatives in the point: what the mean and the covariance of a Gaussian process change by
// as a point moves.
type Against struct {
	shape Shape
	n     int
	inv   []float64 // what features are multiplied by
	at    []float64 // the points that stay, so scaled, one feature after the other
}

// Against makes a kernel ready for many points against dense points y. It is for the
// Euclidean combination.
func (k *Stationary) Against(y Points) *Against {
	if k.combine != Euclidean || y.csr != nil {
		panic("kernel: derivatives in the inputs are those of the Euclidean distance of dense points")
	}
	a := &Against{shape: k.shape, n: y.n, inv: k.lengths.inverse(shapes[k.shape].scale, y, y), at: make([]float64, y.n*y.d)}
	for j := range y.n {
		for d, v := range y.row(j) {
			a.at[d*y.n+j] = v * a.inv[d]
		}
	}
	return a
}

// Values writes k(x, y_j) to values, and to slopes, unless it is nil, what Grad wants.
func (a *Against) Values(values, slopes, x []float64) {
	if len(x) != len(a.inv) || len(values) != a.n || slopes != nil && len(slopes) != a.n {
		panic(fmt.Sprintf("kernel: a point of %d features and %d values, want %d and %d", len(x), len(values), len(a.inv), a.n))
	}
	clear(values)
	for d, v := range x {
		to := v * a.inv[d]
		for j, from := range a.at[d*a.n:][:len(values)] {
			values[j] += (to - from) * (to - from)
		}
	}
	form := &shapes[a.shape]
	if a.shape == SE { // slopes are values
		for j := range values {
			values[j] *= -0.5
		}
		simd.Exp(values, values)
		copy(slopes, values)
		return
	}
	if slopes != nil {
		copy(slopes, values)
		form.slopes(slopes)
	}
	form.values(values)
}

// Grad adds Σ_j w_j ∂k(x, y_j)/∂x_d to grad_d, given the slopes at x, which it spoils. At x
// itself a Matérn 1/2 has a kink, and counts as flat.
func (a *Against) Grad(grad, w, slopes, x []float64) {
	var sum float64
	for j := range slopes {
		slopes[j] *= w[j]
		sum += slopes[j]
	}
	for d, inv := range a.inv {
		pull := simd.Dot(simd.Vector{N: a.n, Inc: 1, Data: slopes}, simd.Vector{N: a.n, Inc: 1, Data: a.at[d*a.n:][:a.n]})
		grad[d] += inv * (pull - x[d]*inv*sum)
	}
}

// Pair returns k(x, y) of two points that move, and the slope that PairGrad wants.
func (a *Against) Pair(x, y []float64) (value, slope float64) {
	var square [2]float64
	for d, inv := range a.inv {
		square[0] += (x[d] - y[d]) * inv * (x[d] - y[d]) * inv
	}
	square[1] = square[0]
	form := &shapes[a.shape]
	form.values(square[:1])
	form.slopes(square[1:])
	return square[0], square[1]
}

// PairGrad adds w ∂k(x, y)/∂x and w ∂k(x, y)/∂y to dx and dy, given the slope at the two.
func (a *Against) PairGrad(dx, dy []float64, w, slope float64, x, y []float64) {
	for d, inv := range a.inv {
		pull := w * slope * (y[d] - x[d]) * inv * inv
		dx[d] += pull
		dy[d] -= pull
	}
}
