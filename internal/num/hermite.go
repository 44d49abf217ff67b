package num

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// maxHermite keeps the orthonormal polynomials, which grow as e^{x²/4} up to
// x² ≈ 4n, inside the range of float64.
const maxHermite = 300

// hermiteRules remembers the rules: they are pure functions of n.
var hermiteRules sync.Map // int → *hermiteRule

type hermiteRule struct{ x, w []float64 }

// GaussHermite returns the n-point rule for expectations under the standard
// normal, E[g(z)] ≈ Σ w_i g(x_i), exact for polynomials of degree 2n−1. Nodes
// ascend and are symmetric, and Σ w = 1. The slices are shared between callers
// and must not be changed. It panics unless 1 ≤ n ≤ 300.
func GaussHermite(n int) (x, w []float64) {
	if n < 1 || n > maxHermite {
		panic(fmt.Sprintf("num: Gauss–Hermite rule with %d points: want 1 to %d", n, maxHermite))
	}
	r, ok := hermiteRules.Load(n)
	if !ok {
		r, _ = hermiteRules.LoadOrStore(n, newHermiteRule(n))
	}
	rule := r.(*hermiteRule)
	return rule.x, rule.w
}

// newHermiteRule takes the nodes from the eigenvalues of the Jacobi matrix
// (Golub and Welsch 1969), polishes them by Newton steps, and takes the weights
// from w = 1/Σ_k p_k(x)², which has no cancellation even in the far tail.
func newHermiteRule(n int) *hermiteRule {
	jacobi := mat.NewSymDense(n, nil)
	for k := 1; k < n; k++ {
		jacobi.SetSym(k-1, k, math.Sqrt(float64(k)))
	}
	var eig mat.EigenSym
	if !eig.Factorize(jacobi, false) {
		panic(fmt.Sprintf("num: Gauss–Hermite rule with %d points: no eigenvalues", n))
	}
	r := &hermiteRule{x: eig.Values(nil), w: make([]float64, n)}
	for i := range (n + 1) / 2 {
		x := r.x[i]
		if 2*i+1 == n {
			x = 0
		}
		for range 3 {
			p, prev, _ := hermite(n, x)
			if 2*i+1 != n {
				x -= p / (math.Sqrt(float64(n)) * prev) // p_n′ = √n p_{n−1}
			}
		}
		_, _, sum := hermite(n, x)
		r.x[i], r.x[n-1-i] = x, -x
		r.w[i], r.w[n-1-i] = 1/sum, 1/sum
	}
	return r
}

// hermite evaluates the orthonormal Hermite polynomials p_n and p_{n−1} at x,
// and Σ_{k<n} p_k², by √(k+1) p_{k+1} = x p_k − √k p_{k−1}.
func hermite(n int, x float64) (p, prev, sum float64) {
	p = 1
	for k := range n {
		sum += p * p
		p, prev = (x*p-math.Sqrt(float64(k))*prev)/math.Sqrt(float64(k+1)), p
	}
	return p, prev, sum
}
