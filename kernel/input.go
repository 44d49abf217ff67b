package kernel

import "fmt"

// InputGrad adds Σ_j w_j ∂k(x, y_j)/∂x_d to grad_d, for dense points y: what the mean and
// the covariance of a Gaussian process change by as a point moves. It is for the Euclidean
// combination. At x itself a Matérn 1/2 has a kink, and counts as flat.
func (k *Stationary) InputGrad(grad, w, x []float64, y Points) {
	if k.combine != Euclidean || y.csr != nil {
		panic("kernel: derivatives in the inputs are those of the Euclidean distance of dense points")
	}
	if len(grad) != y.d || len(x) != y.d || len(w) != y.n {
		panic(fmt.Sprintf("kernel: %d weights and points of %d and %d features, want %d and %d", len(w), len(x), len(grad), y.n, y.d))
	}
	form := &shapes[k.shape]
	inv := k.lengths.inverse(form.scale, y, y)
	for d, v := range inv {
		inv[d] = v * v
	}
	slopes := make([]float64, y.n)
	for j := range slopes {
		for d, v := range y.row(j) {
			gap := x[d] - v
			slopes[j] += gap * gap * inv[d]
		}
	}
	same := make([]bool, y.n)
	for j, v := range slopes {
		same[j] = v == 0
	}
	form.slopes(slopes)
	sum := make([]float64, y.d)
	for j, s := range slopes {
		if same[j] || w[j] == 0 {
			continue
		}
		c := w[j] * s
		for d, v := range y.row(j) {
			sum[d] += c * (v - x[d])
		}
	}
	for d, s := range sum {
		grad[d] += s * inv[d]
	}
}
