package collab

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// topEigen returns the k largest eigenvalues, largest first, and orthonormal
// eigenvectors (n×k) of a symmetric matrix given as a product with n×c blocks.
// It grows a block Krylov space from start (n×c, c ≥ k), with Rayleigh–Ritz
// on it, until residuals fall below tol times the largest eigenvalue; when the
// space outgrows room it begins again from the best vectors.
func topEigen(n, k int, start []float64, c int, tol float64, rng *rand.Rand, mul func(dst, src []float64, c int)) (values, vectors []float64) {
	room := min(n, max(4*c, 60+c))
	block := append([]float64(nil), start...)
	for range 200 {
		basis := make([][]float64, 0, room) // columns
		image := make([][]float64, 0, room)
		for len(basis) < room {
			fresh := 0
			for j := range c {
				col := make([]float64, n)
				for i := range n {
					col[i] = block[i*c+j]
				}
				if orthonormal(col, basis, rng) && len(basis) < room {
					basis = append(basis, col)
					fresh++
				}
			}
			if fresh == 0 {
				break
			}
			src, dst := make([]float64, n*fresh), make([]float64, n*fresh)
			for j, col := range basis[len(basis)-fresh:] {
				for i, x := range col {
					src[i*fresh+j] = x
				}
			}
			mul(dst, src, fresh)
			for j := range fresh {
				col := make([]float64, n)
				for i := range n {
					col[i] = dst[i*fresh+j]
				}
				image = append(image, col)
			}
			if fresh < c {
				block = make([]float64, n*c)
			}
			for j := range fresh {
				for i := range n {
					block[i*c+j] = dst[i*fresh+j]
				}
			}
		}
		b := len(basis)
		t := mat.NewSymDense(b, nil)
		for i := range b {
			for j := i; j < b; j++ {
				t.SetSym(i, j, 0.5*(num.Dot(basis[i], image[j])+num.Dot(basis[j], image[i])))
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(t, true) {
			panic("collab: eigenvalues of a small matrix did not converge")
		}
		all := eig.Values(nil)
		var y mat.Dense
		eig.VectorsTo(&y)
		// Ritz vectors, c of them, largest first.
		keep := min(c, b)
		u, au := mat.NewDense(n, keep, nil), mat.NewDense(n, keep, nil)
		q, aq := columns(basis, n), columns(image, n)
		pick := y.Slice(0, b, b-keep, b)
		simd.Mul(u, q, pick)
		simd.Mul(au, aq, pick)
		values = values[:0]
		worst := 0.0
		for j := range k {
			at := keep - 1 - j
			lambda := all[b-1-j]
			values = append(values, lambda)
			var r float64
			for i := range n {
				d := au.At(i, at) - lambda*u.At(i, at)
				r += d * d
			}
			worst = max(worst, math.Sqrt(r))
		}
		if worst <= tol*math.Abs(all[b-1]) || b == n {
			vectors = make([]float64, n*k)
			for i := range n {
				for j := range k {
					vectors[i*k+j] = u.At(i, keep-1-j)
				}
			}
			return values, vectors
		}
		block = make([]float64, n*c)
		for i := range n {
			for j := range keep {
				block[i*c+j] = u.At(i, j)
			}
		}
	}
	panic("collab: the largest eigenvalues did not converge")
}

func columns(cols [][]float64, n int) *mat.Dense {
	m := mat.NewDense(n, len(cols), nil)
	for j, c := range cols {
		m.SetCol(j, c)
	}
	return m
}

// orthonormal makes col orthogonal to the basis and of length one; a column
// that lies in it is replaced by a random one, if there is room.
func orthonormal(col []float64, basis [][]float64, rng *rand.Rand) bool {
	if len(basis) >= len(col) {
		return false
	}
	for range 3 {
		before := math.Sqrt(num.Dot(col, col))
		for range 2 {
			for _, b := range basis {
				num.Axpy(-num.Dot(b, col), b, col)
			}
		}
		after := math.Sqrt(num.Dot(col, col))
		if after > 1e-10*before && after > 0 {
			for i := range col {
				col[i] /= after
			}
			return true
		}
		for i := range col {
			col[i] = rng.NormFloat64()
		}
	}
	return false
}
