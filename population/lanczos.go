package population

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// matVec sets dst = A x for a square matrix, rows in parallel.
func matVec(dst, a, x []float64, n int) {
	num.Parallel(n, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = num.Dot(a[i*n:i*n+n], x)
		}
	})
}

// lanczosSpectrum estimates the eigenvalues of a symmetric matrix, given as a
// product, by Lanczos quadrature from random signs: as a weighted list whose
// weights sum to n.
func lanczosSpectrum(n int, rng *rand.Rand, mul func(dst, src []float64)) (s spectrum) {
	const probes = 8
	steps := min(30, n)
	basis := make([][]float64, steps)
	for i := range basis {
		basis[i] = make([]float64, n)
	}
	r := make([]float64, n)
	for range probes {
		for i := range n {
			basis[0][i] = 1 / math.Sqrt(float64(n))
			if rng.Uint64()&1 == 0 {
				basis[0][i] *= -1
			}
		}
		var alpha, beta []float64
		for k := range steps {
			mul(r, basis[k])
			alpha = append(alpha, num.Dot(r, basis[k]))
			for range 2 { // orthogonal to all before, twice over
				for j := range k + 1 {
					num.Axpy(-num.Dot(r, basis[j]), basis[j], r)
				}
			}
			norm := math.Sqrt(num.Dot(r, r))
			if k+1 == steps || norm < 1e-10*math.Abs(alpha[0]) {
				break
			}
			beta = append(beta, norm)
			for i := range r {
				basis[k+1][i] = r[i] / norm
			}
		}
		k := len(alpha)
		t := mat.NewSymDense(k, nil)
		for i, a := range alpha {
			t.SetSym(i, i, a)
			if i > 0 {
				t.SetSym(i-1, i, beta[i-1])
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(t, true) {
			continue
		}
		var vec mat.Dense
		eig.VectorsTo(&vec)
		for i, v := range eig.Values(nil) {
			q := vec.At(0, i)
			s.value = append(s.value, v)
			s.weight = append(s.weight, q*q*float64(n)/float64(probes))
		}
	}
	return s
}
